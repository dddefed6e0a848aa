// What a person can see of the page. Runs in an isolated world: it sees the
// page's DOM, while the page sees neither it nor can change the built-ins it
// uses. It only reads.
(() => {
  'use strict';
  const norm = (s) => (s || '').replace(/[\s\u00a0]+/g, ' ').trim();
  const css = (el, pseudo) => getComputedStyle(el, pseudo);
  const isEl = (n) => n && n.nodeType === 1;
  const up = (n) => n.assignedSlot || (n.parentNode && n.parentNode.nodeType === 11 ? n.parentNode.host : n.parentNode);
  const tag = (el) => el.localName;
  const BUTTONS = ['button', 'submit', 'reset', 'image', 'file', 'color'];
  const NO_TEXT = ['checkbox', 'radio', 'hidden', 'range'];
  const isField = (el) => tag(el) === 'textarea' || (tag(el) === 'input' && !BUTTONS.includes(el.type) && !NO_TEXT.includes(el.type));
  const SKIP = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link', 'canvas', 'video', 'audio', 'object', 'iframe', 'datalist']);

  // --- geometry: what a person can bring into view -------------------------
  const EMPTY = { l: 0, t: 0, r: 0, b: 0 };
  const cut = (a, b) => ({ l: Math.max(a.l, b.l), t: Math.max(a.t, b.t), r: Math.min(a.r, b.r), b: Math.min(a.b, b.b) });
  const solid = (c) => c.r - c.l >= 2 && c.b - c.t >= 2;
  const rectOf = (r) => ({ l: r.left, t: r.top, r: r.right, b: r.bottom });

  function rootState() {
    const se = document.scrollingElement || document.documentElement;
    const view = { l: 0, t: 0, r: innerWidth, b: innerHeight };
    const ov = (e) => (e ? css(e) : { overflowX: 'visible', overflowY: 'visible' });
    let o = ov(document.documentElement);
    if (o.overflowX === 'visible' && o.overflowY === 'visible') o = ov(document.body);
    const off = (v) => v === 'hidden' || v === 'clip';
    const page = {
      l: off(o.overflowX) ? 0 : -scrollX, r: off(o.overflowX) ? innerWidth : se.scrollWidth - scrollX,
      t: off(o.overflowY) ? 0 : -scrollY, b: off(o.overflowY) ? innerHeight : Math.max(se.scrollHeight, innerHeight) - scrollY,
    };
    return { op: 1, clip: page, abs: page, fixed: view, tt: 'none' };
  }

  // enter returns the state inside el, or null when nothing in it can be seen.
  function enter(el, st) {
    const c = css(el);
    if (c.display === 'none') return null;
    if (c.display === 'contents') return { ...st, c, box: null };
    if (!el.checkVisibility()) return null;
    const op = st.op * (parseFloat(c.opacity) || 0);
    if (op < 0.1) return null;
    let mine = c.position === 'fixed' ? st.fixed : c.position === 'absolute' ? st.abs : st.clip;
    const box = rectOf(el.getBoundingClientRect());
    if (/^(inset\((?:5\d|[6-9]\d|100)(?:\.\d+)?%|circle\(0|polygon\(0px 0px, 0px 0px, 0px 0px)/.test(c.clipPath)) return null;
    if (c.clip !== 'auto' && /^rect\(([01](\.\d+)?px,? ?){4}\)$/.test(c.clip)) return null;
    const root = el === document.documentElement || el === document.body;
    let inner = mine;
    if (!root && (c.overflowX !== 'visible' || c.overflowY !== 'visible')) {
      const shown = cut(mine, box);
      const scrolls = (v) => v === 'auto' || v === 'scroll';
      if (!solid(shown)) inner = EMPTY;
      else {
        inner = { ...shown };
        if (scrolls(c.overflowX)) { inner.l = box.l - el.scrollLeft; inner.r = inner.l + el.scrollWidth; }
        if (scrolls(c.overflowY)) { inner.t = box.t - el.scrollTop; inner.b = inner.t + el.scrollHeight; }
      }
    }
    const holdsFixed = c.transform !== 'none' || c.filter !== 'none' || c.perspective !== 'none';
    const holdsAbs = holdsFixed || c.position !== 'static';
    const absBase = c.position === 'fixed' ? st.fixed : st.abs;
    return { op, c, box, mine, clip: inner, abs: holdsAbs || root ? inner : absBase, fixed: holdsFixed ? inner : st.fixed };
  }

  // stateOf enters every ancestor of el and el itself.
  function stateOf(el) {
    const chain = [];
    for (let n = el; n; n = up(n)) if (isEl(n)) chain.push(n);
    let st = rootState();
    for (const e of chain.reverse()) { st = enter(e, st); if (!st) return null; }
    return st;
  }

  function inkless(c) {
    const fill = c.webkitTextFillColor || c.color;
    const m = /^rgba\(.*,\s*([\d.]+)\)$/.exec(fill);
    return m && parseFloat(m[1]) < 0.1 && c.backgroundClip !== 'text' && c.textShadow === 'none';
  }

  // visible says whether a person could see the element's box.
  function visible(el) {
    const st = stateOf(el);
    if (!st || !st.box) return !!st && [...el.children].some(visible);
    if (st.c.visibility !== 'visible') return false;
    return solid(cut(st.mine, st.box)) || [...el.children].some(visible);
  }

  // --- text as rendered ----------------------------------------------------
  function transform(s, how) {
    switch (how) {
      case 'uppercase': return s.toUpperCase();
      case 'lowercase': return s.toLowerCase();
      case 'capitalize': return s.replace(/(^|[\s\-("'])(\p{L})/gu, (m, a, b) => a + b.toUpperCase());
    }
    return s;
  }

  class Text {
    constructor() { this.raw = []; this.seen = []; this.live = []; this.texts = []; } // texts: the nodes, and where in raw
    put(raw, seen = raw) { this.raw.push(raw); this.seen.push(seen); }
    gap(s) { if (this.raw.length && this.raw[this.raw.length - 1] !== '\n') this.put(s); }
    since(i) { return norm(this.seen.slice(i).join('')); }
  }

  const inline = (d) => d.startsWith('inline') || d === 'contents' || d.startsWith('ruby');
  // An inline block that looks like a box of its own is read as a word of its own.
  const boxed = (c) => c.display !== 'inline' && c.display !== 'contents' && ['paddingLeft', 'paddingRight', 'marginLeft', 'marginRight', 'borderLeftWidth', 'borderRightWidth'].some((k) => parseFloat(c[k]) > 0);
  const LIVE = 'output,[role=status],[role=alert],[role=log],[role=timer],[role=meter],[role=progressbar],[aria-live]:not([aria-live=off])';

  function pseudo(el, which, out) {
    const c = css(el, which);
    const m = c.content && /^"((?:[^"\\]|\\.)*)"/.exec(c.content);
    if (m && m[1] && c.display !== 'none' && c.visibility === 'visible' && c.position !== 'absolute') out.put(m[1].replace(/\\(.)/g, '$1'));
  }

  // rgba reads a computed colour; null for what is none of the old kinds.
  function rgba(s) {
    const m = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(s);
    return m ? { r: +m[1], g: +m[2], b: +m[3], a: m[4] === undefined ? 1 : +m[4] } : null;
  }

  // sameAsBehind says that text can hardly be told from what it stands on, as
  // far as that is a plain colour.
  function sameAsBehind(el, c) {
    const ink = rgba(c.webkitTextFillColor || c.color);
    if (!ink || c.textShadow !== 'none' || c.backgroundClip === 'text' || parseFloat(c.webkitTextStrokeWidth) > 0) return false;
    for (let n = el; n; n = up(n)) {
      if (!isEl(n)) continue;
      const k = css(n);
      if (k.backgroundImage !== 'none' || k.backdropFilter !== 'none' || k.filter !== 'none' || k.mixBlendMode !== 'normal') return false;
      const back = rgba(k.backgroundColor);
      if (!back || (back.a > 0 && back.a < 1)) return false;
      if (back.a === 1) return near(ink, back);
      // What is not in the flow may stand on anything.
      if (k.position !== 'static' && k.position !== 'relative') return false;
    }
    const dark = matchMedia('(prefers-color-scheme: dark)').matches && /dark/.test(css(document.documentElement).colorScheme);
    return !dark && near(ink, { r: 255, g: 255, b: 255 }) && !layerUnder(el, ink);
  }

  // layerUnder says whether something out of the flow that is not of the colour
  // of the ink may be what el stands on, as a canvas behind the whole page.
  function layerUnder(el, ink) {
    const range = document.createRange();
    range.selectNodeContents(el);
    const box = range.getBoundingClientRect();
    return [...document.body.querySelectorAll('*')].some((n) => {
      if (n.contains(el) || el.contains(n)) return false;
      const c = css(n), r = n.getBoundingClientRect(), back = rgba(c.backgroundColor);
      if (!['absolute', 'fixed'].includes(c.position) || !n.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
      if (r.left > box.left || r.top > box.top || r.right < box.right || r.bottom < box.bottom) return false;
      return ['canvas', 'img', 'video', 'svg'].includes(tag(n)) || c.backgroundImage !== 'none' || (back && back.a === 1 && !near(ink, back));
    });
  }
  // near says that ink on paper has too little contrast (WCAG's ratio, 1:1 for
  // the same colour) to be read. What is as bright but of another hue is seen.
  const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = (c) => 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  function near(ink, paper) {
    const over = (k) => paper[k] + (ink[k] - paper[k]) * ink.a;
    const c = { r: over('r'), g: over('g'), b: over('b') };
    const x = luminance(c) + 0.05, y = luminance(paper) + 0.05;
    return Math.max(x, y) / Math.min(x, y) < 1.3 && Math.max(...['r', 'g', 'b'].map((k) => Math.abs(c[k] - paper[k]))) < 64;
  }

  function textNode(n, st, out) {
    if (!n.data || st.c.visibility !== 'visible' || inkless(st.c)) return;
    if (/\S/.test(n.data) && sameAsBehind(up(n), st.c)) return;
    if (!/\S/.test(n.data)) { out.put(' '); return; }
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) {
      if (solid(cut(st.clip, rectOf(r)))) {
        const keep = /^pre|break-spaces/.test(st.c.whiteSpace);
        const raw = keep ? n.data : n.data.replace(/\s+/g, ' ');
        out.texts.push([n, out.raw.length]);
        out.put(raw, transform(raw, st.c.textTransform));
        return;
      }
    }
  }

  function control(el, st, out) {
    if (st.c.visibility !== 'visible' || !solid(cut(st.mine, st.box))) return;
    if (tag(el) === 'input' && ['button', 'submit', 'reset'].includes(el.type)) {
      const v = el.value || (el.type === 'submit' ? 'Submit' : el.type === 'reset' ? 'Reset' : '');
      out.put(' '); out.put(v, transform(v, st.c.textTransform)); out.put(' ');
    } else if (isField(el)) {
      // What is in a field that can be edited is what was typed, not what the
      // page shows; a field that cannot is a display.
      const v = el.value ? (el.readOnly || el.disabled ? el.value : '') : el.placeholder || '';
      out.put(' '); out.put(el.type === 'password' ? '' : v); out.put(' ');
    }
    if (isField(el) || tag(el) === 'select') out.live.push({ key: key(el), text: norm(valueOf(el)), control: true });
  }

  function walk(n, st, out) {
    if (n.nodeType === 3) { textNode(n, st, out); return; }
    if (!isEl(n) || SKIP.has(tag(n))) return;
    const inside = enter(n, st);
    if (!inside) return;
    if (tag(n) === 'br') { out.put('\n'); return; }
    if (['input', 'textarea', 'select'].includes(tag(n))) { control(n, inside, out); return; }
    const c = inside.c, from = out.raw.length;
    const block = !inline(c.display), announces = n.matches(LIVE), word = boxed(c) || tag(n) === 'button' || announces;
    if (block) out.gap('\n'); else if (word) out.gap(' ');
    pseudo(n, '::before', out);
    children(n, inside, out);
    pseudo(n, '::after', out);
    if (c.display === 'table-cell') out.put('\t');
    else if (block) out.gap('\n');
    else if (word) out.put(' ');
    if (announces) out.live.push({ key: key(n), text: out.since(from), control: false });
  }

  function children(n, st, out) {
    if (st.c.contentVisibility === 'hidden') return;
    if (tag(n) === 'details' && !n.open) {
      const summary = [...n.children].find((k) => tag(k) === 'summary');
      if (summary) walk(summary, st, out);
      return;
    }
    if (tag(n) === 'slot' && n.assignedNodes().length) { for (const k of n.assignedNodes()) walk(k, st, out); return; }
    for (const k of (n.shadowRoot || n).childNodes) walk(k, st, out);
  }

  // textOf reads what el shows.
  function textOf(el) {
    const out = new Text();
    const st = el === document.documentElement ? rootState() : stateOf(isEl(up(el)) ? up(el) : document.documentElement) || null;
    if (st) walk(el, st, out);
    return out;
  }

  const key = (el) => norm(el.getAttribute('aria-label') || (el.labels && el.labels[0] && el.labels[0].textContent) || el.getAttribute('id') || el.getAttribute('name') || el.getAttribute('placeholder') || el.getAttribute('role') || tag(el)).slice(0, 60);

  const isToggle = (el) => (tag(el) === 'input' && (el.type === 'checkbox' || el.type === 'radio')) || ['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'].includes(el.getAttribute('role'));
  const isOn = (el) => (tag(el) === 'input' ? el.checked : el.getAttribute('aria-checked') === 'true');

  // valueOf is the state of a control, null for what has none.
  function valueOf(el) {
    if (isToggle(el)) return isOn(el) ? 'checked' : 'unchecked';
    if (tag(el) === 'select') return [...el.selectedOptions].map((o) => norm(o.label || o.text)).join(', ');
    if (tag(el) === 'input' || tag(el) === 'textarea') return el.value;
    if (tag(el) === 'progress' || tag(el) === 'meter') return String(el.value);
    const role = el.getAttribute('role');
    if (['slider', 'spinbutton', 'progressbar', 'meter'].includes(role)) return el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow') || '';
    return null;
  }

  return { norm, css, isEl, up, tag, BUTTONS, SKIP, rgba, solid, cut, rectOf, visible, textOf, valueOf, isToggle, isOn };
})()
