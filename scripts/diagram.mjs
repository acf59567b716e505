// Draws which folders of `src` import which others, as the Mermaid diagram in docs/architecture.md. `npm run diagram` writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { folderOf, listImports, ORDER } from './structure.mjs';

const DOCUMENT = fileURLToPath(new URL('../docs/architecture.md', import.meta.url));
const BLOCK = /```mermaid\n[\s\S]*?```/;
/** Every folder imports from `core`, and `app` from every folder: arrows that would say nothing. */
const UNDRAWN = ['core', 'app'];

/** The document with the diagram as it follows from the imports of today. */
export function drawIntoDocument(text = readFileSync(DOCUMENT, 'utf8')) {
  return text.replace(BLOCK, `\`\`\`mermaid\n${drawFolders()}\`\`\``);
}

/** An arrow is left out where others lead the same way. */
function drawFolders() {
  const targets = new Map(ORDER.map((folder) => [folder, new Set()]));
  for (const [from, to] of listImports()) {
    const [source, target] = [folderOf(from), folderOf(to)];
    if (source !== target && !UNDRAWN.includes(source) && !UNDRAWN.includes(target)) targets.get(source).add(target);
  }
  const reaches = (from, to) => [...targets.get(from)].some((next) => next === to || reaches(next, to));
  const arrows = ORDER.flatMap((from) =>
    ORDER.filter((to) => targets.get(from).has(to))
      .filter((to) => ![...targets.get(from)].some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${from} --> ${to}`),
  );
  return ['flowchart RL', ...arrows].join('\n') + '\n';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(DOCUMENT, drawIntoDocument());
