"use strict";
(function () {
  const byId = (id) => document.getElementById(id);

  function board() {
    const game = byId("game"), data = JSON.parse(byId("turns").textContent);
    const turns = data.turns, group = byId("cells"), cells = [...group.children];
    const list = byId("moves"), slider = byId("slider"), now = byId("now");
    const parts = ["own", "ext", "cords", "marks"].map(byId), [own, ext, cords, marks] = parts;
    const at = cells.map((cell) => [Number(cell.getAttribute("cx")), Number(cell.getAttribute("cy"))]);
    const radius = Math.max(...cells.map((cell) => Number(cell.getAttribute("r"))));
    const ended = parts.map((part) => part && part.innerHTML), looks = cells.map((cell) => cell.getAttribute("class"));
    const rim = ext ? [...ext.querySelectorAll("circle")].map((one) => [one.getAttribute("cx"), one.getAttribute("cy")].map(Number)) : [];
    const pressed = document.querySelector("[data-go=try]");
    let ply = turns.length, tried = [], trying = false;

    /* What every moment was worth; a turn has only what it changed of it. */
    const worths = [data.start];
    for (const turn of turns) {
      const before = worths[worths.length - 1];
      worths.push(turn[3].map((part, at) => part === null ? before[at] : part));
    }

    function add(part, name, attributes) {
      const one = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const key in attributes) one.setAttribute(key, attributes[key]);
      part.append(one);
    }

    /* One body a chain: rims below, cords above them, the stones on top. */
    function join(stones) {
      for (const side of ["X", "O"]) {
        const mine = data.links.filter(([one, other]) => stones[one] === side && stones[other] === side);
        const links = mine.map(([one, other]) => "M" + at[one].join(" ") + "L" + at[other].join(" ")).join("");
        const dots = at.map((place, cell) => stones[cell] === side ? "M" + place.join(" ") + "h0" : "").join("");
        const kind = side.toLowerCase();
        if (!dots) continue;
        add(cords, "path", { class: "r" + kind, d: links });
        add(cords, "path", { class: "d" + kind, d: dots, "stroke-width": 2 * radius + 2 });
        add(cords, "path", { class: "c" + kind, d: links });
      }
    }

    /* A place on the rim shows a small stone of who touches it, half of each for both. */
    function touch(stones) {
      for (const [x, y] of rim) {
        const near = at.map(([a, b], cell) => Math.hypot(a - x, b - y) < 21 ? stones[cell] : "").filter(Boolean);
        const sides = new Set(near);
        if (!sides.size) add(ext, "circle", { class: "e0", cx: x, cy: y, r: 2 });
        else add(ext, "circle", { class: "bd " + (sides.size === 2 ? "o" : near[0].toLowerCase()), cx: x, cy: y, r: 5 });
        if (sides.size === 2) add(ext, "path", { class: "bd gx", d: "M" + x + " " + (y - 5) + "a5 5 0 0 0 0 10z" });
      }
    }

    function paint(cell, side, look) {
      cell.setAttribute("class", look || (side || "e").toLowerCase());
      if (!look) cell.setAttribute("r", radius);
      if (trying && !side) {
        cell.setAttribute("tabindex", "0");
        cell.setAttribute("role", "button");
        cell.setAttribute("aria-label", nameOf(cell));
      } else {
        for (const name of ["tabindex", "role", "aria-label"]) cell.removeAttribute(name);
      }
    }

    const nameOf = (cell) => cell.textContent.split(" ")[0];
    const other = (side) => side === "X" ? "O" : "X";
    const due = (turn) => turn === 0 ? 1 : Number(game.dataset.stones);

    /* Whose stone comes next, and whether it begins a turn: of two stones in all turns but the first in some games. */
    function next() {
      let turn = ply, side = "X";
      if (ply) side = turns[ply - 1][0] === "swap" ? turns[ply - 1][1] : other(turns[ply - 1][1]);
      let left = due(turn);
      for (let stone = 0; stone < tried.length; stone += 1) {
        left -= 1;
        if (!left) { turn += 1; left = due(turn); side = other(side); }
      }
      return [side, left === due(turn)];
    }

    function show() {
      const stones = {};
      for (const turn of turns.slice(0, ply)) for (const cell of turn[2]) stones[cell] = turn[1];
      for (const [cell, side] of tried) stones[cell] = side;
      const last = tried.length ? [tried[tried.length - 1][0]] : ply ? turns[ply - 1][2] : [];
      const isNow = ply === turns.length && !tried.length;
      cells.forEach((cell, number) => paint(cell, stones[number], isNow && looks[number]));
      /* Now is as the server drew it, with owners and the winning chain. */
      parts.forEach((part, number) => { if (part) part.innerHTML = isNow ? ended[number] : ""; });
      if (!isNow) {
        join(stones);
        if (ext) touch(stones);
        for (const cell of last) add(marks, "circle", { class: "l" + stones[cell].toLowerCase(), cx: at[cell][0], cy: at[cell][1], r: radius * 0.34 });
      }
      group.classList.toggle("trying", trying);
      slider.value = ply;
      if (list) {
        [...list.children].forEach((line, at) => line.classList.toggle("now", at + 1 === ply));
        const line = list.children[ply - 1];
        if (line) list.scrollTop = line.offsetTop - list.offsetTop - list.clientHeight / 2;
      }
      const turn = ply ? turns[ply - 1] : null;
      const what = turn ? "Move " + ply + ": " + turn[1] + " " + turn[0] + ". " : "The start. ";
      now.textContent = tried.length
        ? "Tried after move " + ply + ": " + names().join(" ") + ". " + next()[0] + " to move."
        : what + worths[ply].join("; ");
      byId("tried").hidden = !trying;
      byId("line").value = ply === Number(game.dataset.try)
        ? game.dataset.preview + " " + names().join(" ")
        : names().join(" ");
      pressed.setAttribute("aria-pressed", String(trying));
    }

    function names() {
      const texts = [];
      for (const [cell, , begins] of tried) {
        if (begins) texts.push(nameOf(cells[cell]));
        else texts[texts.length - 1] += "+" + nameOf(cells[cell]);
      }
      return texts;
    }

    function go(to) {
      ply = Math.max(0, Math.min(turns.length, to));
      tried = [];
      show();
    }

    function place(target) {
      const cell = cells.indexOf(target);
      if (!trying || cell < 0 || !target.classList.contains("e")) return;
      tried.push([cell, ...next()]);
      show();
    }

    const actions = {
      first: () => go(0),
      back: () => go(ply - 1),
      on: () => go(ply + 1),
      last: () => go(turns.length),
      try: () => { trying = !trying; tried = []; show(); },
      undo: () => { tried.pop(); show(); },
      copy: () => {
        byId("line").select();
        if (navigator.clipboard) navigator.clipboard.writeText(byId("line").value);
      },
    };
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-go]");
      if (button) actions[button.dataset.go]();
      const line = event.target.closest("#moves li");
      if (line) go([...list.children].indexOf(line) + 1);
      place(event.target);
    });
    slider.addEventListener("input", () => go(Number(slider.value)));
    document.addEventListener("keydown", (event) => {
      if (event.target.tagName === "INPUT" || event.ctrlKey || event.altKey || event.metaKey) return;
      const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
      if (keys[event.key]) {
        event.preventDefault();
        actions[keys[event.key]]();
      } else if (event.key === "Enter" || event.key === " ") {
        if (event.target.tagName === "circle") { event.preventDefault(); place(event.target); }
      }
    });
    let start = null;
    const figure = game.querySelector("figure");
    figure.addEventListener("touchstart", (event) => { start = event.touches[0].clientX; }, { passive: true });
    figure.addEventListener("touchend", (event) => {
      const moved = event.changedTouches[0].clientX - start;
      if (Math.abs(moved) > 50) go(ply + (moved < 0 ? 1 : -1));
    });
    byId("replay").hidden = false;
    if (list) list.classList.add("live");
    show();
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

    function fits(words) {
      return (line) => {
        const text = line.slice(1).join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      };
    }

    function find() {
      const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
      const list = byId("found"), told = byId("told");
      list.replaceChildren();
      told.textContent = "";
      if (!words.length) return;
      const found = read.filter(Boolean).flatMap((lines) => lines.filter(fits(words)).reverse());
      for (const [path, title, x, o, result, day] of found.slice(0, most)) {
        const item = document.createElement("li"), link = document.createElement("a");
        link.href = "../" + path + ".html";
        link.textContent = title;
        item.append(link, " " + x + " – " + o + ": " + result + " (" + day + ")");
        list.append(item);
      }
      if (found.length <= most) readOn();
      if (found.length > most) told.textContent = "The newest " + most + " of more boards.";
      else if (reading) told.textContent = "Still reading ...";
      else told.textContent = found.length + (found.length === 1 ? " board." : " boards.");
    }
    wanted.addEventListener("input", find);
    search.hidden = false;
    if (location.hash) { wanted.value = decodeURIComponent(location.hash.slice(1)); find(); }
  }

  if (byId("turns")) board();
  if (byId("search")) archive();
}());
