"use strict";
{
let life = new AbortController();
const byId = (id) => document.getElementById(id), on = (one, name, act, how) => one.addEventListener(name, act, { signal: life.signal, ...how });
const nameOf = (cell) => cell.textContent.split(" ")[0];

/* The board of a page, move by move; on the club's page it plays by itself and has one button. */
function replay(game) {
  const all = (query) => [...game.querySelectorAll(query)], auto = "auto" in game.dataset;
  const data = JSON.parse(byId("turns").textContent), turns = data.turns, end = turns.length;
  const svg = game.querySelector("svg.b"), cells = [...byId("cells").querySelectorAll("circle")], slider = byId("slider");
  const groups = ["own", "ext", "cords", "marks"].map(byId), [, ext, cords, marks] = groups;
  const get = (one, ...names) => names.map((name) => Number(one.getAttribute(name)));
  const at = cells.map((cell) => get(cell, "cx", "cy")), rim = ext ? [...ext.querySelectorAll("circle")].map((one) => get(one, "cx", "cy")) : [];
  const sizes = cells.map((cell) => get(cell, "r")[0]), radius = Math.max(...sizes);
  const drawn = groups.map((group) => group && group.innerHTML), looks = cells.map((cell) => cell.getAttribute("class"));
  const [playing] = all("[data-go=play]"), [pressed] = all("[data-go=try]");
  const isFree = (cell) => cell.classList.contains("e");
  let ply = end, tried = [], trying = false, timer = 0, stop = cells[0];

  /* What every moment was worth; a turn has only what it changed of it. */
  const worths = [data.start];
  for (const turn of turns) worths.push(turn[3].map((part, at) => part || worths[worths.length - 1][at]));

  const set = (one, values) => Object.entries(values).forEach((pair) => one.setAttribute(...pair));
  function add(group, name, values) {
    const one = document.createElementNS("http://www.w3.org/2000/svg", name);
    set(one, values);
    group.append(one);
  }

  /* One body a chain: rims below, cords above them, the stones on top. */
  function join(stones, group = cords) {
    for (const side of ["x", "o"]) {
      const mine = data.links.filter((link) => link.every((cell) => stones[cell] === side));
      const links = mine.map(([one, other]) => `M${at[one]}L${at[other]}`).join("");
      const dots = at.map(([x, y], cell) => stones[cell] === side ? `M${x} ${y}h0` : "").join("");
      if (!dots) continue;
      for (const [kind, d] of [["r", links], ["d", dots], ["c", links]]) {
        add(group, "path", { class: kind + side, d, ...(kind === "d" && { "stroke-width": 2 * radius + 2 }) });
      }
    }
  }

  /* A place on the rim shows a small stone of who touches it, half of each for both. */
  function touch(stones) {
    for (const [x, y] of rim) {
      const near = at.map(([a, b], cell) => Math.hypot(a - x, b - y) < 21 && stones[cell]);
      const sides = ["x", "o"].filter((side) => near.includes(side)), side = sides.pop();
      add(ext, "circle", { class: side ? "bd " + side : "e0", cx: x, cy: y, r: side ? 5 : 2 });
      if (sides.length) add(ext, "path", { class: "bd gx", d: `M${x} ${y - 5}a5 5 0 0 0 0 10z` });
    }
  }

  function paint(cell, side, look, size) {
    set(cell, { class: look || side || "e", r: look ? size : radius });
    if (trying && !side) set(cell, { tabindex: cell === stop ? 0 : -1, role: "button", "aria-label": nameOf(cell) });
    else for (const name of ["tabindex", "role", "aria-label"]) cell.removeAttribute(name);
    const link = cell.parentNode;
    if (link.localName === "a") link.setAttribute("tabindex", cell === stop ? 0 : -1);
  }

  const cellOf = (one) => one.localName === "a" ? one.querySelector("circle") : one;

  const other = (side) => side === "X" ? "O" : "X";
  const due = (turn) => turn ? Number(game.dataset.stones) : 1;

  /* Whose stone comes next, and whether it begins a turn, which in some games has two but for the first. */
  function next() {
    let turn = ply, side = "X", left = due(turn);
    if (ply) side = turns[ply - 1][0] === "swap" ? turns[ply - 1][1] : other(turns[ply - 1][1]);
    for (const _ of tried) {
      left -= 1;
      if (!left) { turn += 1; left = due(turn); side = other(side); }
    }
    return [side, left === due(turn)];
  }

  function stonesNow() {
    const stones = {};
    for (const turn of turns.slice(0, ply)) for (const cell of turn[2]) stones[cell] = turn[1].toLowerCase();
    for (const [cell, side] of tried) stones[cell] = side.toLowerCase();
    return stones;
  }

  function cheapest(cost) {
    const costs = at.map(cost);
    return cells[costs.indexOf(Math.min(...costs))];
  }

  function show() {
    const stones = stonesNow(), [x, y] = at[cells.indexOf(stop)];
    stop = cheapest(([a, b], cell) => stones[cell] ? 1e9 : Math.hypot(a - x, b - y));
    const isNow = ply === end && !tried.length, turn = turns[ply - 1];
    const last = tried.length ? [tried[tried.length - 1][0]] : turn ? turn[2] : [];
    cells.forEach((cell, at) => paint(cell, stones[at], isNow && looks[at], sizes[at]));
    /* Now is as the server drew it, with owners and the winning chain. */
    groups.forEach((group, at) => { if (group) group.innerHTML = isNow ? drawn[at] : ""; });
    if (!isNow) {
      join(stones);
      touch(stones);
      for (const cell of last) add(marks, "circle", { class: "l" + stones[cell], cx: at[cell][0], cy: at[cell][1], r: radius * 0.34 });
    }
    for (const points of all("[data-points]")) {
      const found = worths[ply].map((words) => words.match(`^${points.dataset.points} (-?\\d+)`)).find(Boolean);
      points.dataset.now ??= points.textContent;
      points.textContent = isNow ? points.dataset.now : found ? found[1] : "";
    }
    byId("count").textContent = `${ply} / ${end}`;
    playing.textContent = timer ? "\u275a\u275a" : "\u25b6";
    playing.setAttribute("aria-label", timer ? "Pause" : "Play");
    if (auto) return;
    svg.classList.toggle("trying", trying);
    svg.setAttribute("role", trying || svg.querySelector("a") ? "group" : "img");
    slider.value = ply;
    const now = byId("now"), list = byId("moves"), names = texts().join(" ");
    if (byId("at")) byId("at").setAttribute("d", `M${600 * ply / end} 0V100`);
    if (list) [...list.children].forEach((line, at) => {
      line.firstChild.toggleAttribute("aria-current", at === ply - 1);
      if (at === ply - 1) list.scrollTop = line.offsetTop - list.offsetTop - list.clientHeight / 2;
    });
    now.setAttribute("aria-live", timer ? "off" : "polite");
    now.textContent = tried.length ? `Tried after move ${ply}: ${names}. ${next()[0]} to move.`
      : (turn ? `Move ${ply}: ${turn[1]} ${turn[0]}. ` : "Start. ") + worths[ply].join("; ");
    byId("tried").hidden = !trying;
    byId("line").value = (ply === Number(game.dataset.try) ? game.dataset.preview + " " : "") + names;
    pressed.setAttribute("aria-pressed", trying);
  }

  function texts() {
    const found = [];
    for (const [cell, , begins] of tried) {
      if (begins) found.push(nameOf(cells[cell]));
      else found[found.length - 1] += "+" + nameOf(cells[cell]);
    }
    return found;
  }

  function go(to) {
    clearTimeout(timer);
    timer = 0;
    ply = Math.max(0, Math.min(end, to));
    tried = [];
    show();
  }

  /* Where the game turned: the move that was made, and the better one as a ghost. */
  function better(turn) {
    go(Number(turn.ply));
    for (const name of turn.better.split("+")) {
      const at = cells.findIndex((cell) => nameOf(cell) === name);
      if (at >= 0) add(marks, "circle", { class: turn.side + " ghost", cx: cells[at].getAttribute("cx"), cy: cells[at].getAttribute("cy"), r: radius });
    }
  }

  /* One move after the other; on the club's page from the start again after a while. */
  function play(from) {
    go(from);
    if (ply === end && !auto) return;
    timer = setTimeout(() => play(ply === end ? 0 : ply + 1), ply === end ? 6000 : 650);
    show();
  }

  function place(target) {
    const cell = cells.indexOf(target);
    if (!trying || cell < 0 || !isFree(target)) return;
    tried.push([cell, ...next()]);
    show();
  }

  /* The board is one stop of the Tab key; arrows lead to the nearest empty cell on that side. */
  function stopAt(cell) {
    stop = cell;
    show();
    (cell.closest("a") || cell).focus();
  }

  function beside(target, way) {
    const [x, y] = at[cells.indexOf(target)];
    return cheapest(([a, b], cell) => {
      const far = (a - x) * way[0] + (b - y) * way[1], aside = Math.abs((a - x) * way[1] + (b - y) * way[0]);
      return cells[cell] === target ? 1e6 : far > 1 && isFree(cells[cell]) ? far + 2 * aside : 1e9;
    });
  }

  const actions = {
    back: () => go(ply - 1),
    on: () => go(ply + 1),
    play: () => timer ? go(ply) : play(ply === end ? 0 : ply),
    try: () => { trying = !trying; go(ply); },
    undo: () => { tried.pop(); show(); },
    copy: () => {
      byId("line").select();
      if (navigator.clipboard) navigator.clipboard.writeText(byId("line").value);
    },
  };

  on(game, "click", (event) => {
    const near = (query) => event.target.closest(query), curve = near(".curve"), link = near("#cells a, #act a[rel]");
    /* A cell leads to a move only while the board is as it is now. */
    if (link && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (ply === end && !trying || !svg.contains(link)) look(link.getAttribute("href"));
    }
    if (near("[data-go]")) actions[near("[data-go]").dataset.go]();
    if (near("[data-ply]")) better(near("[data-ply]").dataset);
    if (near("#moves li")) go([...byId("moves").children].indexOf(near("#moves li")) + 1);
    if (curve) {
      const box = curve.getBoundingClientRect();
      go(Math.round(end * (event.clientX - box.left) / box.width));
    }
    place(event.target);
  });

  /* A line of the score lights its chain and the rim that it touches, of the board as it is now, above all else, which is faint as one. */
  let kept = end;
  const lit = document.createElementNS(svg.namespaceURI, "g");
  lit.id = "lit";
  marks.before(lit);
  function light(line, isLit) {
    if (isLit && !svg.classList.contains("glow")) kept = ply;
    go(isLit ? end : kept);
    svg.classList.toggle("glow", isLit);
    lit.replaceChildren();
    if (!isLit) return;
    const stones = {}, whole = stonesNow();
    for (const cell of line.dataset.cells.split(" ")) stones[cell] = whole[cell];
    join(stones, lit);
    for (const cell of Object.keys(stones)) lit.append(cells[cell].cloneNode(true));
    if (ext) ext.replaceChildren();
    touch(stones);
  }

  for (const line of all("[data-cells]")) {
    for (const name of ["mouseenter", "focus"]) on(line, name, () => light(line, true));
    for (const name of ["mouseleave", "blur"]) on(line, name, () => light(line, false));
  }
  playing.hidden = false;
  if (auto) {
    show();
    if (!matchMedia("(prefers-reduced-motion:reduce)").matches) play(end);
    return;
  }
  on(slider, "input", () => go(Number(slider.value)));
  on(document, "keydown", (event) => {
    const { key } = event, target = cellOf(event.target), to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: end }[key];
    const isCell = cells.includes(target), isPlaced = isCell && trying && (key === "Enter" || key === " ");
    const way = isCell && { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (event.target.matches("input, select") || event.ctrlKey || event.altKey || event.metaKey || !isPlaced && !way && to === undefined) return;
    event.preventDefault();
    if (way) stopAt(beside(target, way));
    else if (isPlaced) place(target), stopAt(stop);
    else go(to);
  });
  let start = 0;
  on(svg, "touchstart", (event) => { start = event.touches[0].clientX; }, { passive: true });
  on(svg, "touchend", (event) => {
    const moved = event.changedTouches[0].clientX - start;
    if (Math.abs(moved) > 50) go(ply - Math.sign(moved));
  });
  byId("replay").hidden = false;
  show();
}

/* A cell that is clicked, or written, is right or wrong; where there is a form, the club says so. */
function puzzle(part) {
  if (part.querySelector("form")) return;
  const guess = byId("guess"), field = guess.querySelector("input");
  const judge = (name) => {
    guess.querySelector("output").textContent = name + (name === part.dataset.answer ? " wins. Right!" : " does not win.");
  };
  on(field, "change", () => judge(field.value.trim().toUpperCase()));
  on(part.querySelector("svg"), "click", ({ target }) => {
    if (target.classList.contains("e")) judge(nameOf(target));
  });
  guess.hidden = false;
}

/* Moments are in UTC; the reader's zone and how far off a deadline is are known only here. */
function count(time) {
  const at = new Date(time.dateTime), hours = Math.floor((at - Date.now()) / 36e5);
  const left = hours > 47 ? `${Math.floor(hours / 24)} days` : hours === 1 ? "1 hour" : `${hours} hours`;
  const utc = `${time.dateTime.slice(0, 16).replace("T", " ")} UTC`, isDue = time.className === "due";
  const here = at.toLocaleString([], { dateStyle: "medium", ...(time.className !== "day" && { timeStyle: "short" }) });
  time.title = isDue ? `${here} (${utc})` : utc;
  time.textContent = !isDue ? here : hours < 0 ? "overdue" : `${left} left`;
}

function archive() {
  const search = byId("search"), wanted = byId("wanted"), files = search.dataset.files.split(" ").filter(Boolean);
  const read = files.map(() => null), most = 100, atOnce = 6;
  let next = 0, reading = 0;
  window.pbmservBoards = (lines) => {
    read[Number(document.currentScript.dataset.at)] = lines;
    reading -= 1;
    find();
  };

  /* The newest files first, and no more of them than there is room for what is found. */
  function readOn() {
    while (reading < atOnce && next < files.length) {
      const script = document.createElement("script");
      script.src = files[next];
      script.dataset.at = next;
      next += 1;
      reading += 1;
      document.head.append(script);
    }
  }

  function find() {
    const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    const list = byId("found"), told = byId("told");
    list.replaceChildren();
    told.textContent = "";
    if (!words.length) return;
    const text = (line) => line.slice(1).join(" ").toLowerCase(), fits = (line) => words.every((word) => text(line).includes(word));
    const found = read.filter(Boolean).flatMap((lines) => lines.filter(fits));
    for (const [path, title, x, o, result, day] of found.slice(0, most)) {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = "../" + path + ".html";
      link.textContent = title;
      item.append(link, ` ${x} – ${o}: ${result} (${day})`);
      list.append(item);
    }
    const many = found.length;
    if (many <= most) readOn();
    told.textContent = many > most ? `The newest ${most} of more boards.` : reading ? "Still reading ..." : many + (many === 1 ? " board." : " boards.");
  }
  on(wanted, "input", find);
  search.hidden = false;
  if (location.hash) { wanted.value = decodeURIComponent(location.hash.slice(1)); find(); }
}

/* Another page, or this one as it is now, in place of what is shown. */
async function look(address) {
  const text = await fetch(address).then((answer) => answer.text(), () => ""), page = new DOMParser().parseFromString(text, "text/html");
  if (!page.getElementById("game")) return location.assign(address);
  for (const part of ["main", ".me"]) document.querySelector(part).replaceWith(page.querySelector(part));
  document.title = page.title;
  history.replaceState(null, "", address);
  life.abort();
  life = new AbortController();
  begin();
}

/* What others do appears by itself while the page is seen: soon, or each minute after ten. */
function watch(pulse) {
  const began = Date.now();
  const ask = async () => {
    const stamp = document.hidden ? "" : await fetch(pulse.dataset.from).then((answer) => answer.ok ? answer.text() : "", () => "");
    if (life.signal !== mine) return;
    if (!stamp || stamp === pulse.dataset.stamp) wait();
    else if (location.search) byId("changed").hidden = false;
    else look(location.pathname);
  };
  const mine = life.signal, wait = () => { timer = setTimeout(ask, Date.now() - began > 6e5 ? 6e4 : 1e4); };
  let timer = 0;
  mine.addEventListener("abort", () => clearTimeout(timer));
  wait();
}

/* Keys as in the terminal: p passes, s swaps, n is the next board. */
function press(event) {
  const link = !event.target.matches("input, select") && !event.ctrlKey && !event.altKey && !event.metaKey && document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!link || event.key === "Enter" && event.target.matches("a, button, summary")) return;
  event.preventDefault();
  link.click();
}

function begin() {
  if (byId("game")) replay(byId("game"));
  if (byId("pulse")) watch(byId("pulse"));
  if (byId("puzzle")) puzzle(byId("puzzle"));
  if (byId("search")) archive();
  on(document, "keydown", press);
  document.querySelectorAll("time[datetime]").forEach(count);
}
begin();
}
