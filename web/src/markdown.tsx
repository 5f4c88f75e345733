// Reports are Markdown: headings, paragraphs, lists, tables, code. Nothing of it is put into the page as HTML.
import type { ComponentChildren } from "preact";
import { t } from "./text";

interface Props {
  text: string;
  /** Address of a figure that the text shows. */
  figure: (name: string) => string;
}

export function Markdown({ text, figure }: Props) {
  return <div class="markdown">{blocks(text).map((block, index) => <Block key={index} lines={block} figure={figure} />)}</div>;
}

/** Runs of lines that belong together. */
function blocks(text: string): string[][] {
  const found: string[][] = [];
  let current: string[] = [];
  let code = false;
  const close = () => {
    if (current.length) found.push(current);
    current = [];
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) {
      if (!code) close();
      current.push(line);
      if (code) close();
      code = !code;
    } else if (code) current.push(line);
    else if (line.trim() === "") close();
    else if (line.startsWith("#") || (isItem(line) && current.length > 0 && !isItem(current[0]!))) {
      close();
      current.push(line);
      if (line.startsWith("#")) close();
    } else current.push(line);
  }
  close();
  return found;
}

const isItem = (line: string) => /^\s*([-*]|\d+\.)\s/.test(line);

function Block({ lines, figure }: { lines: string[]; figure: (name: string) => string }) {
  const first = lines[0]!;
  if (first.startsWith("```")) return <pre tabIndex={0}>{lines.slice(1, -1).join("\n")}</pre>;
  if (first.startsWith("#")) return <h3>{inline(first.replace(/^#+\s*/, ""))}</h3>;
  if (first.startsWith("|")) return <Table lines={lines} />;
  if (isItem(first)) {
    const items: string[] = [];
    for (const line of lines) {
      if (isItem(line)) items.push(line.replace(/^\s*([-*]|\d+\.)\s+/, ""));
      else items[items.length - 1] += ` ${line.trim()}`;
    }
    return (
      <ul>
        {items.map((item, index) => (
          <li key={index}>{inline(item)}</li>
        ))}
      </ul>
    );
  }
  const picture = /^!\[([^\]]*)\]\(([^)]+)\)$/.exec(lines.join(" "));
  if (picture) return <img src={figure(picture[2]!)} alt={picture[1]} loading="lazy" />;
  return <p>{inline(lines.join(" "))}</p>;
}

function Table({ lines }: { lines: string[] }) {
  const rows = lines.map((line) => line.replace(/^\||\|\s*$/g, "").split("|").map((cell) => cell.trim()));
  const [head = [], , ...body] = rows;
  return (
    <div class="wide-table" tabIndex={0} role="group" aria-label={t("Table")}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (cell ? <th key={index}>{inline(cell)}</th> : <td key={index} />))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Bold, code and links (whose addresses are files of the repository: only their texts are shown). */
export function inline(text: string): ComponentChildren[] {
  return text.split(/(\*\*.+?\*\*|`[^`]+`|!?\[[^\]]*\]\([^)]*\))/).map((part, index) => {
    if (part.startsWith("**")) return <strong key={index}>{part.slice(2, -2)}</strong>;
    if (part.startsWith("`")) return <code key={index}>{part.slice(1, -1)}</code>;
    const link = /^!?\[([^\]]*)\]/.exec(part);
    return link ? link[1] : part;
  });
}
