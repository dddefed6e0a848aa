// Finding elements and reaching them as a person would. A function of cover.js's
// result; runs in the same isolated world. It only reads, except for scrolling,
// focus, the clocks of animations, which it puts back at once, and the functions
// at the end that enter values for controls which have no text to type.
((see) => {
  'use strict';
  const { norm, css, isEl, up, tag, BUTTONS, SKIP, visible, textOf, valueOf, isToggle, isOn, shortName, bareIn, bareAll, bareBox } = see;

  // --- finding -------------------------------------------------------------
  function* all(root = document) {
    const w = document.createTreeWalker(root, 1);
    for (let n = root.nodeType === 1 ? root : w.nextNode(); n; n = w.nextNode()) {
      yield n;
      if (n.shadowRoot) yield* all(n.shadowRoot);
    }
  }
  const holds = (a, b) => { for (let n = b; n; n = n.parentNode || n.host) if (n === a) return true; return false; };
  const same = (a, b) => norm(a).toLowerCase() === b;

  const ITEMS = 'li,tr,article,[role=listitem],[role=row],[role=article],[role=treeitem]';

  // written are elements that were found by the text that is their own, without
  // that of what is in them: there they are pointed at.
  const written = new WeakSet();
  const ownTexts = (el) => [...el.childNodes].filter((n) => n.nodeType === 3 && /\S/.test(n.data));
  const sized = (r) => r.width >= 1 && r.height >= 1;
  function spotOf(el) {
    const range = document.createRange();
    range.selectNodeContents(ownTexts(el)[0] || el);
    return [...range.getClientRects()].find(sized);
  }

  const finders = {
    label(name) {
      const out = [];
      for (const el of all()) if (tag(el) === 'label' && el.control && (same(el.textContent, name) || same(el.innerText, name))) out.push(el.control);
      return out;
    },
    placeholder: (name) => [...all()].filter((el) => same(el.getAttribute('placeholder'), name)),
    text(name) {
      const out = [];
      for (const el of all()) {
        if (SKIP.has(tag(el)) || el.childElementCount > 20 || tag(el) === 'option') continue;
        if (same(el.textContent, name) && ![...el.children].some((k) => same(k.textContent, name))) out.push(el);
      }
      return out;
    },
    own: (name) => [...all()].filter((el) => !SKIP.has(tag(el)) && tag(el) !== 'option' && el.childElementCount && same(ownTexts(el).map((n) => n.data).join(' '), name) && spotOf(el) && written.add(el)),
    id: (name) => [...all()].filter((el) => same(el.getAttribute('id'), name)),
    item: () => [...all()].filter((el) => el.matches(ITEMS + ',fieldset,section,dialog,[role=group],[role=region]')),
  };

  // What other things are in, as opposed to a control or a text.
  const CONTAINERS = ITEMS + ',ul,ol,dl,table,tbody,section,fieldset,dialog,form,main,nav,aside,menu,' +
    ['list', 'table', 'grid', 'rowgroup', 'region', 'group', 'dialog', 'alertdialog', 'form', 'main', 'navigation', 'complementary', 'tabpanel', 'menu', 'toolbar', 'tree'].map((r) => `[role=${r}]`).join();
  // rowsAround are the items and rows that a control or a text is part of.
  function rowsAround(el) {
    const out = [];
    for (let n = el.matches(CONTAINERS) ? null : up(el); isEl(n); n = up(n)) if (n.matches(ITEMS)) out.push(n);
    return out;
  }

  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';
  const level = (h) => parseInt(h.getAttribute('aria-level') || h.localName.slice(1), 10) || 2;
  // under says whether el comes after a heading and before the next one.
  function under(h, el) {
    const follows = (a, b) => !!(a.compareDocumentPosition(b) & 4);
    if (!h.matches(HEADINGS) || !follows(h, el)) return false;
    return ![...document.querySelectorAll(HEADINGS)].some((k) => k !== h && level(k) <= level(h) && follows(h, k) && follows(k, el));
  }

  // kind is what an item is of: the same is said in several ways.
  const kind = (el) => ({ li: 'listitem', tr: 'row' })[el.getAttribute('role') || tag(el)] || el.getAttribute('role') || tag(el);

  // namesAnother says whether an item tells, beside its buttons, of something
  // else than el and its label.
  function namesAnother(item, el) {
    const own = [el, ...(el.labels || [])], w = document.createTreeWalker(item, 4);
    let rest = '';
    for (let n = w.nextNode(); n; n = w.nextNode()) {
      if (!own.some((o) => holds(o, n)) && !up(n).closest('button,[role=button],script,style')) rest += ' ' + n.data;
    }
    const name = norm(el.getAttribute('aria-label') || el.textContent).toLowerCase();
    rest = ' ' + norm(rest).toLowerCase() + ' ';
    return /[\p{L}\p{N}]/u.test(rest) && !(name && rest.includes(' ' + name + ' '));
  }

  // ofAnother says whether el is part of an item inside a box, of the kind of one
  // of the likes, that is about something else.
  function ofAnother(el, box, ...likes) {
    const kinds = [box, ...likes].map(kind);
    for (let n = up(el); isEl(n) && n !== box; n = up(n)) if (n.matches(ITEMS) && kinds.includes(kind(n)) && namesAnother(n, el)) return true;
    return false;
  }

  // titled says that an item has a heading, and so stands for what is under it.
  const titled = (item) => [...item.querySelectorAll(HEADINGS)].some((h) => h.closest(ITEMS) === item);

  const headerRow = (el) => el.matches('tr,[role=row]') && !!el.querySelector('th,[role=columnheader]') && !el.querySelector('td,[role=cell],[role=gridcell]');

  function describe(el, scope) {
    const d = { tag: tag(el), header: headerRow(el), visible: false, inside: !scope || (holds(scope, el) && scope !== el), text: '' };
    if (!d.inside) return d;
    d.other = !!scope && scope.matches(ITEMS) && !titled(scope) && ofAnother(el, scope);
    d.visible = visible(el) || (isToggle(el) && [...(el.labels || [])].some(visible));
    d.text = (tag(el) === 'input' ? valueOf(el) || '' : textOf(el).since(0)).slice(0, 300);
    return d;
  }

  // --- acting --------------------------------------------------------------
  const frame = () => new Promise((ok) => { let t = setTimeout(ok, 100); requestAnimationFrame(() => { clearTimeout(t); ok(); }); });

  // tick waits for a real frame, so that animations have moved on; a page that
  // draws none for a second is not at rest but stuck.
  const tick = () => new Promise((ok) => { const t = setTimeout(() => ok(false), 1000); requestAnimationFrame(() => { clearTimeout(t); ok(true); }); });

  // stirring are the animations of the page's own lists that move el now, be it
  // that they have not drawn their first frame.
  function stirring(el) {
    const out = [];
    for (let r = el.getRootNode(); r; r = r.host && r.host.getRootNode()) {
      out.push(...r.getAnimations().filter((a) => (a.pending || a.playState === 'running') && a.effect && a.effect.target && holds(a.effect.target, el)));
    }
    return out;
  }
  const stirs = (el) => stirring(el).length > 0;
  // aboutToMove: an animation that has not drawn its first frame looks still.
  const aboutToMove = (el) => stirring(el).some((a) => a.pending && a.playState === 'running');

  // before has the animations that moved what is aimed at before the mouse came.
  let before = new Set();

  // ended is what look sees where el is when the animations are over that began by
  // its being pointed at, if they end. The page hears nothing of it.
  function ended(el, look) {
    const end = (a) => a.effect.getComputedTiming().endTime;
    const ran = stirring(el).filter((a) => !before.has(a) && Number.isFinite(end(a)) && a.currentTime !== null).map((a) => [a, a.currentTime]);
    for (const [a] of ran) a.currentTime = end(a);
    try {
      return look();
    } finally {
      for (const [a, time] of ran) a.currentTime = time;
    }
  }

  // proxyFor is what a person clicks: the label of a control that is hidden
  // behind its own styling.
  function proxyFor(el) {
    if (visible(el)) return el;
    if (isToggle(el) || (tag(el) === 'input' && el.type === 'file')) for (const l of el.labels || []) if (visible(l)) return l;
    return null;
  }

  function disabled(el) {
    if (el.matches(':disabled')) return 'disabled';
    for (let n = el; n; n = up(n)) {
      if (!isEl(n)) continue;
      if (n.inert) return 'inert';
      if (n.getAttribute('aria-disabled') === 'true') return 'disabled (aria-disabled)';
    }
    return '';
  }

  // unable is why the control that el is or belongs to cannot be used.
  function unable(el) {
    const c = el.closest('button,select,textarea,input,option,label') || el;
    return disabled((tag(c) === 'label' && c.control) || c);
  }

  const firstRect = (el) => (written.has(el) && spotOf(el)) || [...el.getClientRects()].find(sized) || el.getBoundingClientRect();

  // hit returns the innermost element at a point, through shadow roots, as seen
  // from el's own root, so that a closed root is no obstacle.
  function hit(x, y, el) {
    const roots = [];
    for (let r = el.getRootNode(); r && r.nodeType === 11; r = r.host.getRootNode()) roots.unshift(r);
    let h = document.elementFromPoint(x, y);
    for (const r of roots) { if (h !== r.host) return h; h = r.elementFromPoint(x, y) || h; }
    while (h && h.shadowRoot) { const i = h.shadowRoot.elementFromPoint(x, y); if (!i || i === h) break; h = i; }
    return h;
  }

  function reaches(target, h) {
    if (!h || written.has(target)) return h === target;
    if (holds(target, h)) return true;
    const label = h.closest && h.closest('label');
    return !!label && label.control === target;
  }

  const shifted = (a, b, by = 0.5) => ['left', 'top', 'width', 'height'].some((k) => Math.abs(a[k] - b[k]) > by);

  // held is the last element that was aimed at, until still is asked.
  let held = null;
  function hold(el, target, box, x, y, framed) {
    const h = { el, target, box, x, y, framed };
    requestAnimationFrame(() => { h.framed = true; });
    held = h;
    return { x, y };
  }

  // aim brings el into view and returns the point to click, or why a person
  // could not. With quick, what is in view and not animated is measured once;
  // still takes the second look.
  async function aim(el, needsEnabled, quick) {
    if (!el.isConnected) return { why: 'gone' };
    const off = needsEnabled ? disabled(el) : '';
    const target = proxyFor(el);
    if (!target) return { why: 'not visible' };
    if (off) return { why: off };
    if (quick) before = new Set(stirring(target));
    let last = { why: 'moving' };
    for (const where of ['nearest', 'center', 'start', 'end']) {
      const r0 = firstRect(target);
      const inView = r0.top >= 0 && r0.left >= 0 && r0.bottom <= innerHeight && r0.right <= innerWidth;
      if (where !== 'nearest' || !inView) target.scrollIntoView({ block: where, inline: where, behavior: 'instant' });
      const once = quick && where === 'nearest' && inView && !stirs(target);
      const b = once ? r0 : await atRest(target);
      if (!b) { last = { why: 'moving' }; continue; }
      const l = Math.max(b.left, 0), t = Math.max(b.top, 0), r = Math.min(b.right, innerWidth), o = Math.min(b.bottom, innerHeight);
      if (r - l < 1 || o - t < 1) { last = { why: 'off the screen' }; continue; }
      const x = (l + r) / 2, y = (t + o) / 2, over = above(el, target, x, y);
      if (!over) return hold(el, target, b, x, y, !once);
      last = over;
    }
    return last;
  }

  // atRest is the box of target when it is the same over two frames. Both looks
  // are taken in a frame: between frames the clock of an animation is a guess.
  async function atRest(target) {
    const first = await tick();
    const a = firstRect(target);
    const drawn = first && await tick();
    const b = firstRect(target);
    return !drawn || aboutToMove(target) || shifted(a, b) ? null : b;
  }

  // isVeil says whether h is of a layer that covers the whole of the card which
  // target is part of, and through which target is seen: one that darkens a picture
  // under the mouse, say. A press on either is a press on the card.
  const CONTROLS = 'a,button,input,select,textarea,label,summary,[role=button],[role=link],[onclick]';
  function isVeil(h, target) {
    const other = (a, b) => { const c = a.closest(CONTROLS); return !!c && !holds(c, b); };
    if (!isEl(h) || other(h, target) || other(target, h)) return false;
    let card = h, veil = null;
    for (; isEl(card) && !holds(card, target); card = up(card)) {
      if (see.hides(card)) return false;
      veil = card;
    }
    if (!veil || !isEl(card) || css(veil).position !== 'absolute' || veil.offsetParent !== card) return false;
    const a = veil.getBoundingClientRect(), b = card.getBoundingClientRect();
    return b.width * b.height < innerWidth * innerHeight / 2 && !shifted(a, b, 4);
  }

  // above is what lies over the point of target that is clicked for el.
  function above(el, target, x, y) {
    const h = hit(x, y, target);
    if (reaches(target, h) || (target !== el && reaches(el, h)) || isVeil(h, target)) return null;
    return { why: 'covered by ' + (h ? shortName(h) : 'nothing that can be clicked') };
  }

  // still says, at least a frame after aim, whether the point is still el's, and
  // stays so. What moves el then has begun by its being pointed at: it may, but not
  // away from the mouse.
  async function still(el) {
    const h = held;
    if (!h || h.el !== el || !el.isConnected) return { why: 'gone' };
    if (!h.framed && !(await tick())) return { why: 'moving' };
    const moved = shifted(h.box, firstRect(h.target)) && !stirs(h.target);
    if (moved && !(await atRest(h.target))) return { why: 'moving' };
    const off = disabled(el), over = above(el, h.target, h.x, h.y);
    if (off) return { why: off };
    if (over) return moved ? { why: 'moving' } : over;
    const why = ended(h.target, () => (!visible(h.target) ? 'not visible' : above(el, h.target, h.x, h.y) ? 'moving' : ''));
    return why ? { why } : { x: h.x, y: h.y };
  }

  // through maps a point inside the frame that el shows to a point out here, or
  // says why a person could not click there.
  function through(el, x, y) {
    const place = () => {
      const r = el.getBoundingClientRect(), c = css(el);
      const sx = el.offsetWidth ? r.width / el.offsetWidth : 1, sy = el.offsetHeight ? r.height / el.offsetHeight : 1;
      return { x: r.left + sx * (el.clientLeft + parseFloat(c.paddingLeft) + x), y: r.top + sy * (el.clientTop + parseFloat(c.paddingTop) + y) };
    };
    let p = place();
    if (p.x < 0 || p.y < 0 || p.x >= innerWidth || p.y >= innerHeight) {
      scrollBy({ left: p.x - innerWidth / 2, top: p.y - innerHeight / 2, behavior: 'instant' });
      p = place();
      if (p.x < 0 || p.y < 0 || p.x >= innerWidth || p.y >= innerHeight) return { why: 'off the screen' };
    }
    const h = hit(p.x, p.y, el);
    return h === el ? p : { why: 'covered by ' + (h ? shortName(h) : 'nothing that can be clicked') };
  }

  // settle waits for a frame and for the DOM to be quiet for longer than the next
  // one takes, at most one second.
  function settle() {
    const rest = 20; // ms; a frame takes 17
    const quietDom = new Promise((ok) => {
      let quiet;
      const end = () => { obs.disconnect(); clearTimeout(quiet); clearTimeout(cap); ok(); };
      const obs = new MutationObserver(() => { clearTimeout(quiet); quiet = setTimeout(end, rest); });
      const cap = setTimeout(end, 1000);
      quiet = setTimeout(end, rest);
      obs.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    return Promise.all([quietDom, frame()]).then(() => true);
  }

  const scroller = (el) => {
    for (let n = el; isEl(n); n = up(n)) if (/auto|scroll/.test(css(n).overflowY + css(n).overflowX) && (n.scrollHeight > n.clientHeight || n.scrollWidth > n.clientWidth)) return n;
    return document.scrollingElement || document.documentElement;
  };

  // running lists the animations of the page's own list that are under way.
  const running = (el) => document.getAnimations().filter((a) => {
    const e = a.effect, d = e && e.getComputedTiming();
    return a.playState === 'running' && d && d.progress !== null && d.duration > 0 && e.target && holds(el, e.target) && visible(e.target);
  }).map((a) => a.constructor.name + (a.animationName ? ' ' + a.animationName : '')).slice(0, 5);

  return {
    found: [],
    find(kind, name) {
      this.found = finders[kind](norm(name).toLowerCase()).slice(0, 300);
      const at = new Map(this.found.map((el, i) => [el, i]));
      return this.found.map((el) => {
        for (let n = el.parentNode || el.host; n; n = n.parentNode || n.host) if (at.has(n)) return at.get(n);
        return -1;
      });
    },
    pick(i) { return this.found[i]; },
    describe, aim, still, settle, valueOf, unable, holds, through, under,
    isSame: (a, b) => a === b,
    container: (el) => el.matches(CONTAINERS),
    rowsWith(of, ...els) {
      const rows = rowsAround(of);
      return els.map((el) => {
        const i = rows.findIndex((r) => r !== el && holds(r, el));
        return i < 0 || ofAnother(el, rows[i], rows[0]) ? -1 : i;
      });
    },
    row: (el, i) => rowsAround(el)[i],
    sameRow: (...els) => { const row = rowsAround(els[0])[0]; return !!row && els.every((el) => rowsAround(el)[0] === row); },
    holder: (el) => (tag(el) === 'input' || isToggle(el) ? rowsAround(el)[0] || el : el),
    middle: () => ({ x: innerWidth / 2, y: innerHeight / 2 }),
    scrolled(el) { const s = scroller(el || document.body); return [s.scrollLeft, s.scrollTop]; },
    draggable: (el) => { for (let n = el; isEl(n); n = up(n)) if (n.draggable) return true; return false; },
    globals: () => Object.getOwnPropertyNames(globalThis),
    usedInMarkup(name) {
      const word = new RegExp('(^|[^\\w$.])' + name.replace(/[^\w]/g, '\\$&') + '([^\\w$]|$)');
      for (const el of all()) for (const a of el.attributes) if (a.name.startsWith('on') && word.test(a.value)) return true;
      return false;
    },
    moving(el) {
      let r = el.getBoundingClientRect();
      if (r.top < 0 || r.bottom > innerHeight) { el.scrollIntoView({ block: 'nearest', behavior: 'instant' }); r = el.getBoundingClientRect(); }
      return { X: r.left, Y: r.top, W: r.width, H: r.height, Focus: holds(el, document.activeElement) && document.activeElement !== document.body, Running: running(el) };
    },
    // look reads the page, and what is bare of the texts that are wanted of it.
    look(wants) {
      const out = textOf(document.body || document.documentElement), bare = {};
      for (const w of wants || []) { const b = bareIn(out, w); if (b) bare[w] = b; }
      return { raw: out.raw.join(''), seen: out.seen.join(''), live: out.live, title: document.title, url: location.href, bare };
    },
    // Of fields only displays can be covered: what is typed may be shown by
    // something over the field.
    text(el, want) {
      const v = valueOf(el), out = textOf(el), display = el.readOnly || tag(el) === 'progress' || tag(el) === 'meter';
      const bare = v === null ? bareIn(out, want) : display && v.includes(want) ? bareBox(el) : null;
      return { value: v === null ? '' : v, has: v !== null, display, toggle: isToggle(el), raw: out.raw.join(''), seen: out.seen.join(''), visible: visible(el) || (isToggle(el) && [...(el.labels || [])].some(visible)), bare };
    },
    bare: (want, el) => (el && valueOf(el) !== null ? bareBox(el) : bareAll(textOf(el || document.body || document.documentElement), want)),
    hidden: (el) => bareBox(el).by !== '',
    blank() {
      const b = document.body;
      if (!b) return true;
      if (textOf(b).since(0)) return false;
      for (const el of all(b)) if (el.matches('img,svg,canvas,video,input,textarea,select,button,iframe,object,embed,[contenteditable]') && visible(el)) return false;
      for (const el of all(b)) if (css(el).backgroundImage !== 'none' && visible(el)) return false;
      return true;
    },
    field(el) {
      const t = tag(el) === 'input' ? el.type : tag(el);
      const editable = el.isContentEditable || ((tag(el) === 'textarea' || tag(el) === 'input') && !BUTTONS.filter((b) => b !== 'color').includes(t) && !['checkbox', 'radio', 'hidden'].includes(t));
      return { type: t, editable, readonly: !!el.readOnly, focused: el.getRootNode().activeElement === el || holds(el, el.getRootNode().activeElement || null), on: isToggle(el) ? isOn(el) : false, toggle: isToggle(el) };
    },
    focus(el) { el.focus(); return el.getRootNode().activeElement === el; },
    // region is what a title stands for, when that is clear: the list item or
    // row that it is part of, or what a heading stands over.
    region(el) {
      const own = textOf(el).since(0), heads = el.matches(HEADINGS);
      for (let n = up(el); isEl(n) && !el.matches(ITEMS); n = up(n)) {
        if (!n.matches(ITEMS)) continue;
        // A lesser heading in an item stands over a part of it.
        const part = heads && [...n.querySelectorAll(HEADINGS)].some((h) => level(h) < level(el));
        if (!part && textOf(n).since(0) !== own) return n;
        break;
      }
      if (!heads) return el;
      let p = up(el);
      while (isEl(p) && textOf(p).since(0) === own) p = up(p);
      if (!isEl(p) || p === document.body || p === document.documentElement || tag(p) === 'main') return el;
      const rivals = [...p.querySelectorAll(HEADINGS)].some((h) => h !== el && level(h) <= level(el));
      return rivals ? el : p;
    },
    // Selecting all by keys would show the page a key that nobody pressed.
    selectAll(el) {
      if (el.select) el.select();
      else getSelection().selectAllChildren(el);
    },
    choose(el, option) {
      const opts = [...el.options], want = norm(option), is = (o, f) => f(norm(o.label || o.text)) === f(want);
      let hits = opts.filter((o) => is(o, (s) => s));
      if (!hits.length) hits = opts.filter((o) => is(o, (s) => s.toLowerCase()));
      if (!hits.length) hits = opts.filter((o) => o.value === want);
      if (hits.length !== 1 || hits[0].disabled) return { ok: false, many: hits.length > 1, off: hits.length === 1, options: opts.map((o) => norm(o.label || o.text)).slice(0, 20) };
      if (el.multiple) hits[0].selected = true; else el.selectedIndex = hits[0].index;
      el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      el.dispatchEvent(new Event('change', { bubbles: true }));
      return { ok: true };
    },
    enterValue(el, v) {
      el.value = v;
      if (el.value !== v && !(el.type === 'color' && el.value.toLowerCase() === v.toLowerCase()) && !(el.type === 'range' && parseFloat(el.value) === parseFloat(v))) return false;
      el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      el.dispatchEvent(new Event('change', { bubbles: true }));
      return true;
    },
  };
})
