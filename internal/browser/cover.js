// What lies over a text. A function of see.js's result, which it adds to; runs
// in the same isolated world. It only reads: what it scrolls and what it sets is
// as before when it returns, and no script of the page runs meanwhile.
((see) => {
  'use strict';
  const { css, isEl, up, rgba, solid, rectOf } = see;
  const MOST = 300; // texts looked at in one go

  // opaque says whether an element hides what lies below it, by its colour.
  // Pictures may have holes, and count as if they had.
  function opaque(el) {
    if (el === document.body || el === document.documentElement) return false;
    const c = css(el), back = rgba(c.backgroundColor);
    if (!back || c.visibility !== 'visible' || !/^(border|padding)-box$/.test(c.backgroundClip)) return false;
    let a = back.a;
    for (let n = el; n && a >= 0.95; n = up(n)) {
      if (!isEl(n)) continue;
      const k = css(n);
      if (k.mixBlendMode !== 'normal' || /opacity/.test(k.filter) || (k.maskImage || 'none') !== 'none') return false;
      a *= parseFloat(k.opacity);
    }
    return a >= 0.95;
  }

  // stack lists what is at a point, the topmost first, through shadow roots.
  function stack(x, y, root = document) {
    const out = [];
    for (const el of root.elementsFromPoint(x, y)) {
      if (el.getRootNode() !== root) continue;
      if (el.shadowRoot) out.push(...stack(x, y, el.shadowRoot));
      out.push(el);
    }
    return out;
  }

  // over is what hides el at a point: an element, null for nothing, undefined
  // where el is not there.
  function over(el, x, y) {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return undefined;
    const all = stack(x, y), at = all.indexOf(el);
    return at < 0 ? undefined : all.slice(0, at).find(opaque) || null;
  }

  // overAll is what hides all of the rectangles, as far as can be told.
  function overAll(el, rects) {
    let by;
    for (const r of rects.slice(0, 8)) {
      for (const f of [0.5, 0.1, 0.9, 0.3, 0.7]) {
        const o = over(el, r.l + (r.r - r.l) * f, (r.t + r.b) / 2);
        if (o === null) return null;
        by = by || o;
      }
    }
    return by;
  }

  // toMiddle scrolls so that what measures as rect gives is as far from the edges
  // as it gets, where headers and footers stick, and returns the way back.
  function toMiddle(el, rect) {
    const moved = [], root = document.scrollingElement || document.documentElement;
    const move = (s, box) => {
      const r = rect(), was = [s.scrollLeft, s.scrollTop];
      if (!r) return;
      moved.push([s, ...was]);
      s.scrollTo({ left: was[0] + (r.l + r.r - box.l - box.r) / 2, top: was[1] + (r.t + r.b - box.t - box.b) / 2, behavior: 'instant' });
    };
    for (let n = el; n; n = up(n)) {
      if (isEl(n) && n !== root && /auto|scroll/.test(css(n).overflowX + css(n).overflowY)) move(n, rectOf(n.getBoundingClientRect()));
    }
    move(root, { l: 0, t: 0, r: innerWidth, b: innerHeight });
    return () => { for (const [s, left, top] of moved.reverse()) s.scrollTo({ left, top, behavior: 'instant' }); };
  }

  // coverOf is what hides el's rectangles wherever they are scrolled to.
  function coverOf(el, rects) {
    while (isEl(el) && css(el).display === 'contents') el = up(el);
    if (!isEl(el)) return null;
    const by = overAll(el, rects());
    if (by === null) return null;
    const back = toMiddle(el, () => rects()[0]);
    const still = overAll(el, rects());
    back();
    return still === undefined ? by || null : still;
  }

  // touchable lets every element be found at a point while f runs.
  function touchable(f) {
    const roots = [document];
    for (const r of roots) for (const el of r.querySelectorAll('*')) if (el.shadowRoot) roots.push(el.shadowRoot);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*{pointer-events:auto !important}');
    for (const r of roots) r.adoptedStyleSheets = [...r.adoptedStyleSheets, sheet];
    try {
      return f();
    } finally {
      for (const r of roots) r.adoptedStyleSheets = [...r.adoptedStyleSheets].filter((s) => s !== sheet);
    }
  }

  const boxOf = (el) => [rectOf(el.getBoundingClientRect())].filter(solid);

  // covers makes a filter for the texts of a walk: it tells what hides a text,
  // if that has anything to do with what is wanted.
  function covers(want) {
    const all = want.toLowerCase(), words = all.split(/\s+/).filter(Boolean);
    let left = MOST;
    return (n) => {
      const text = n.data.toLowerCase().trim();
      if (!text || left <= 0 || !(all.includes(text) || words.some((w) => text.includes(w)))) return null;
      left--;
      const range = document.createRange();
      range.selectNodeContents(n);
      return coverOf(up(n), () => [...range.getClientRects()].map(rectOf).filter(solid));
    };
  }

  return { ...see, touchable, covers, coverOfBox: (el) => coverOf(el, () => boxOf(el)) };
})
