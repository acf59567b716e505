import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * The licences of the packages that a bundle holds, which have to go with it.
 * @param root the folder that the inputs of the bundle are relative to
 */
export async function listLicences(root, inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.split(sep).join('/'))?.[1] ?? []),
  );
  const notices = [...folders].sort().map(async (folder) => {
    const files = await readdir(join(root, folder));
    const own = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const file = files.find((name) => /^licen[cs]e(\.|$)/i.test(name));
    if (!file) throw new Error(`${own.name} has no file of its licence`);
    const text = await readFile(join(root, folder, file), 'utf8');
    return `${own.name} ${own.version}, ${own.license}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(notices)).join('\n');
}
