// What lies over a text. A function of see.js's result, which it adds to; runs
// in the same isolated world. No script of the page runs meanwhile, and what it
// scrolls and sets is as before when it returns; but the page hears afterwards
// that it was scrolled. So it scrolls only to a text that is not seen otherwise.
((see) => {
  'use strict';
  const { norm, css, isEl, up, tag, rgba, solid, rectOf } = see;
  const MOST = 300; // texts looked at in one go

  // ground is how opaque an element's own background is, 0 to 1. Of background
  // pictures only gradients are known to have no holes.
  function ground(c) {
    if (!/^(border|padding)-box$/.test(c.backgroundClip)) return 0;
    const back = rgba(c.backgroundColor), colours = c.backgroundImage.match(/\brgba?\([^)]*\)/g) || [];
    const filled = /^[a-z-]*gradient\([^;]*\)$/.test(c.backgroundImage) && !/\b(url|color|color-mix|lab|lch|oklab|oklch)\(/.test(c.backgroundImage) &&
      !/(^|\s)0(px|%)/.test(c.backgroundSize) && c.backgroundRepeat === 'repeat' && colours.length > 0;
    return Math.max(back ? back.a : 0, filled ? Math.min(...colours.map((k) => rgba(k)?.a ?? 0)) : 0);
  }

  // paintsAll says whether a picture, a canvas or a film paints all of its box. It
  // is looked at in a small copy, once while looking.
  const pictures = new Map();
  function paintsAll(el) {
    if (!['img', 'canvas', 'video'].includes(tag(el)) || ['contain', 'none', 'scale-down'].includes(css(el).objectFit)) return false;
    if (!pictures.has(el)) pictures.set(el, copyIsFull(el));
    return pictures.get(el);
  }
  function copyIsFull(el) {
    const n = 24, x = new OffscreenCanvas(n, n).getContext('2d');
    try {
      x.drawImage(el, 0, 0, n, n);
      const d = x.getImageData(0, 0, n, n).data;
      for (let i = 3; i < d.length; i += 4) if (d[i] < 242) return false;
      return true;
    } catch { // not there yet, or not to be read
      return false;
    }
  }

  // opaque says whether an element hides what lies below it.
  function opaque(el) {
    if (el === document.body || el === document.documentElement) return false;
    const c = css(el);
    if (c.visibility !== 'visible') return false;
    let a = Math.max(ground(c), paintsAll(el) ? 1 : 0);
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

  // everything gives each element, those in shadow roots too.
  function* everything(root = document) {
    for (const el of root.querySelectorAll('*')) {
      yield el;
      if (el.shadowRoot) yield* everything(el.shadowRoot);
    }
  }

  // What lets pointers through is not found at a point, unless a sheet says
  // otherwise. Setting one costs the styles of the whole page, so that is done
  // only where such an element may be over a text, or is the text's own.
  const deaf = (el) => css(el).pointerEvents !== 'auto';
  let ghosts = null, takeBack = null;

  function ghostAt(x, y) {
    ghosts = ghosts || [...everything()].filter((el) => el.checkVisibility() && deaf(el) && opaque(el));
    return ghosts.some((el) => {
      const r = el.getBoundingClientRect();
      return x >= r.left && x <= r.right && y >= r.top && y <= r.bottom;
    });
  }

  // feelAll lets every element be found at a point, until looking is over.
  function feelAll() {
    const sheet = new CSSStyleSheet(), roots = [document];
    for (const el of everything()) if (el.shadowRoot) roots.push(el.shadowRoot);
    sheet.replaceSync('*{pointer-events:auto !important}');
    for (const r of roots) r.adoptedStyleSheets = [...r.adoptedStyleSheets, sheet];
    takeBack = () => { for (const r of roots) r.adoptedStyleSheets = [...r.adoptedStyleSheets].filter((s) => s !== sheet); };
  }

  // looking runs f, which looks at what lies over things.
  function looking(f) {
    ghosts = takeBack = null;
    pictures.clear();
    try {
      return f();
    } finally {
      if (takeBack) takeBack();
      ghosts = takeBack = null;
    }
  }

  // over is what hides el at a point: an element, null for nothing, undefined
  // where el is not there.
  function over(el, x, y) {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return undefined;
    const all = stack(x, y), at = all.indexOf(el);
    const by = at < 0 ? undefined : all.slice(0, at).find(opaque) || null;
    if (by || takeBack || !(at < 0 ? deaf(el) : ghostAt(x, y))) return by;
    feelAll();
    return over(el, x, y);
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

  function painted(el) {
    while (isEl(el) && css(el).display === 'contents') el = up(el);
    return isEl(el) ? el : null;
  }

  // coverOf is what hides el's rectangles wherever they are scrolled to.
  function coverOf(el, rects) {
    if (!(el = painted(el))) return null;
    const by = overAll(el, rects());
    if (by === null) return null;
    const back = toMiddle(el, () => rects()[0]);
    const still = overAll(el, rects());
    back();
    return still === undefined ? by || null : still;
  }

  // notHere says whether none of el's rectangles is seen to be bare as the page
  // is scrolled now.
  const notHere = (el, rects) => { el = painted(el); return !!el && overAll(el, rects()) !== null; };

  const boxOf = (el) => [rectOf(el.getBoundingClientRect())].filter(solid);

  // related leaves the texts that have anything to do with what is wanted.
  function related(texts, want) {
    const all = want.toLowerCase(), words = all.split(/\s+/).filter(Boolean);
    return texts.filter(([n]) => {
      const text = n.data.toLowerCase().trim();
      return text && (all.includes(text) || words.some((w) => text.includes(w)));
    }).slice(0, MOST);
  }

  // without is what textOf read without the texts that hidden holds for.
  // gap stands in their place.
  function without(out, want, hidden, gap = ' ') {
    const raw = [...out.raw], seen = [...out.seen];
    let by = null;
    for (const [n, i] of related(out.texts, want)) {
      const range = document.createRange();
      range.selectNodeContents(n);
      const is = hidden(up(n), () => [...range.getClientRects()].map(rectOf).filter(solid));
      if (!is) continue;
      by = by || is;
      raw[i] = seen[i] = gap;
    }
    return { raw: raw.join(''), seen: seen.join(''), by };
  }

  const includes = (out, want) => [out.raw, out.seen].some((s) => norm([].concat(s).join('')).includes(norm(want)));
  const NOTHING = { by: '', all: true };
  const told = (u, all) => (u.by ? { ...u, by: isEl(u.by) ? shortName(u.by) : 'what is out of view', all } : NOTHING);

  // bareIn is what was read without what an opaque element hides of what is
  // wanted, and by what; all says that it was looked for everywhere. It is not
  // where some of it is bare in view: only then nothing has to be scrolled.
  function bareIn(out, want) {
    if (!norm(want) || !includes(out, want)) return null;
    return looking(() => {
      const here = without(out, want, notHere, ' \ufffc ');
      return here.by && !includes(here, want) ? told(without(out, want, coverOf), true) : told(here, false);
    });
  }

  const bareAll = (out, want) => looking(() => told(without(out, want, coverOf), true));
  // bareBox is bareIn for a control as a whole.
  const bareBox = (el) => looking(() => told({ raw: '', seen: '', by: coverOf(el, () => boxOf(el)) }, true));

  const shortName = (el) => {
    const t = norm(el.getAttribute('aria-label') || el.textContent).slice(0, 40);
    const id = el.getAttribute('id'), cls = norm(el.getAttribute('class')).slice(0, 30);
    return '<' + tag(el) + (id ? ' id=' + id : cls ? ' class=' + cls : '') + '>' + (t ? ' "' + t + '"' : '');
  };

  const hides = (el) => looking(() => opaque(el));

  return { ...see, hides, shortName, bareIn, bareAll, bareBox };
})
