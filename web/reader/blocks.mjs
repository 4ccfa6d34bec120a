// A document's plain text as blocks to show, each knowing the spans of text it stands for, so that a
// passage (a span too) can be marked exactly. Text becomes text nodes only: nothing is parsed as HTML.

/**
 * @typedef {{start: number, end: number}} Span code units of the document's text
 * @typedef {object} Block
 * @property {"h2"|"h3"|"h4"|"p"|"ul"|"ol"|"table"} kind
 * @property {Span[][]} rows a heading or paragraph is one row of one span; a list has a row an item;
 *   a table a row a line, a span a cell
 * @property {number} [first] number of the first item of an ordered list
 */

const HEADING = /^(#{1,6})\s+/;
const ITEM = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+/;
const RULE = /^\|[\s:|-]+\|?\s*$/;

/**
 * Cells of one table line.
 * @param {string} line
 * @param {number} start
 * @returns {Span[]}
 */
function cells(line, start) {
  const found = [];
  let at = line.startsWith("|") ? 1 : 0;
  while (at < line.length) {
    const bar = line.indexOf("|", at);
    const end = bar < 0 ? line.length : bar;
    const raw = line.slice(at, end);
    if (bar >= 0 || raw.trim()) {
      const lead = raw.length - raw.trimStart().length;
      const from = start + at + Math.min(lead, raw.length);
      found.push({ start: from, end: Math.max(from, start + at + raw.trimEnd().length) });
    }
    at = end + 1;
  }
  return found;
}

/**
 * Split into blocks: headings, paragraphs, lists and tables as Markdown writes them.
 * @param {string} text
 * @returns {Block[]}
 */
export function blocks(text) {
  /** @type {Block[]} */
  const found = [];
  let open = /** @type {Block | null} */ (null);
  /** @param {Block["kind"]} kind @param {Span[]} row @param {number} [first] */
  const add = (kind, row, first) => {
    if (open?.kind === kind && kind !== "p" && !kind.startsWith("h")) open.rows.push(row);
    else found.push((open = { kind, rows: [row], first }));
  };
  let at = 0;
  for (const line of text.split("\n")) {
    const start = at;
    const end = at + line.length;
    at = end + 1;
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (line.trim() === "") {
      open = open?.kind === "ul" || open?.kind === "ol" ? open : null;
    } else if (heading) {
      open = null;
      const depth = heading[1].length;
      add(depth <= 2 ? "h2" : depth === 3 ? "h3" : "h4", [{ start: start + heading[0].length, end }]);
      open = null;
    } else if (line.startsWith("|")) {
      if (!RULE.test(line)) add("table", cells(line, start));
    } else if (item) {
      add(item[1] ? "ol" : "ul", [{ start: start + item[0].length, end }], Number(item[1] ?? 0));
    } else if (open && open.kind !== "table" && (open.kind === "p" || /^\s/.test(line))) {
      open.rows[open.rows.length - 1][0].end = end;
    } else {
      open = null;
      add("p", [{ start, end }]);
    }
  }
  return found;
}

/** Builds elements and wraps what lies in [from, to) in `<mark>`. */
class Painter {
  /** @param {string} text @param {number} from @param {number} to */
  constructor(text, from, to) {
    this.text = text;
    this.from = from;
    this.to = to;
    /** @type {HTMLElement | null} */
    this.first = null;
  }

  /** @param {string} tag @param {Span} span */
  element(tag, span) {
    const node = document.createElement(tag);
    node.dir = "auto";
    const a = Math.max(span.start, Math.min(span.end, this.from));
    const b = Math.max(a, Math.min(span.end, this.to));
    node.append(this.text.slice(span.start, a));
    if (b > a) {
      const mark = document.createElement("mark");
      mark.append(this.text.slice(a, b));
      if (!this.first) mark.className = "first";
      this.first ??= mark;
      node.append(mark);
    }
    node.append(this.text.slice(b, span.end));
    return node;
  }

  /** @param {Block} block */
  table(block) {
    const table = document.createElement("table");
    block.rows.forEach((row, index) => {
      const line = table.insertRow();
      line.append(...row.map((span) => this.element(index === 0 ? "th" : "td", span)));
    });
    const frame = document.createElement("div");
    frame.className = "table";
    frame.append(table);
    return frame;
  }

  /** @param {Block} block */
  block(block) {
    if (block.kind === "table") return this.table(block);
    if (block.kind !== "ul" && block.kind !== "ol") return this.element(block.kind, block.rows[0][0]);
    const list = document.createElement(block.kind);
    if (block.kind === "ol" && block.first) list.setAttribute("start", String(block.first));
    list.append(...block.rows.map((row) => this.element("li", row[0])));
    return list;
  }
}

/**
 * Draw a document into `parent`; its first heading is left out where it repeats the title above it.
 * @param {HTMLElement} parent
 * @param {string} text
 * @param {string} title
 * @param {number} from first marked code unit
 * @param {number} to
 * @returns {HTMLElement | null} the first mark
 */
export function draw(parent, text, title, from, to) {
  const all = blocks(text);
  const head = all[0]?.rows[0][0];
  if (head && all[0].kind === "h2" && text.slice(head.start, head.end).trim() === title.trim()) all.shift();
  const painter = new Painter(text, from, to);
  const nodes = all.map((block) => {
    const node = painter.block(block);
    if (node.querySelector("mark")) node.classList.add("marked");
    return node;
  });
  parent.replaceChildren(...nodes);
  return painter.first;
}

/**
 * Code-unit offset of a code-point offset (Python counts code points, JavaScript code units).
 * @param {string} text
 * @param {number} points
 * @returns {number}
 */
export function unitOffset(text, points) {
  let units = 0;
  for (let n = 0; n < points && units < text.length; n++) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}
