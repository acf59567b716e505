// Holds what the lock file brings into a production install: the list in docs/dependencies.md, the licences, the install scripts.
//   npm run check:dependencies              fails when something differs from what was reviewed
//   npm run check:dependencies -- --write   writes the list anew, for the change to be reviewed
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file) => readFileSync(join(root, file), 'utf8');

const LIST = 'docs/dependencies.md';
/** Licences (SPDX) that a production install may have. */
const ALLOWED = new Set([
  '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0', 'Python-2.0', 'Unlicense',
  'Zlib',
]); // prettier-ignore
/** Those that only development may have beside them. */
const ALLOWED_IN_DEVELOPMENT = new Set([...ALLOWED, 'CC-BY-4.0', 'CC0-1.0', 'MPL-2.0', 'PSF-2.0', 'PostgreSQL']);
/** Packages that name their licence in a file only. */
const READ_BY_HAND = { busboy: 'MIT', only: 'MIT', 'passport-strategy': 'MIT', pause: 'MIT', streamsearch: 'MIT' };
/** Packages that report who installs them. */
const UNWANTED = ['@scarf/scarf'];

const { packages } = JSON.parse(read('package-lock.json'));
const { allowScripts = {} } = JSON.parse(read('package.json'));
const installed = Object.entries(packages)
  // Not the packages of this repository, which are linked from their folders.
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, entry]) => ({ ...entry, name: entry.name ?? path.split('node_modules/').at(-1) }))
  .map((entry) => ({ ...entry, license: entry.license ?? READ_BY_HAND[entry.name] ?? 'unknown' }))
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version.localeCompare(b.version)));

/** An expression of SPDX: every part of AND, any part of OR. */
function isAllowed(licence, allowed) {
  const text = licence.replace(/^\((.*)\)$/, '$1');
  if (text.includes(' OR ')) return text.split(' OR ').some((part) => isAllowed(part, allowed));
  return text.split(' AND ').every((part) => allowed.has(part.trim()));
}

const faults = [];
for (const { name, version, license, dev, devOptional, hasInstallScript, resolved } of installed) {
  const allowed = dev || devOptional ? ALLOWED_IN_DEVELOPMENT : ALLOWED;
  if (!isAllowed(license, allowed)) faults.push(`${name} ${version} has the licence ${license}`);
  if (hasInstallScript && !(name in allowScripts))
    faults.push(`${name} ${version} has an install script: review it, and name it under allowScripts in package.json`);
  if (UNWANTED.includes(name)) faults.push(`${name} ${version} reports who installs it: take it out with an override`);
  if (resolved?.startsWith('http')) faults.push(`${name} ${version} names a registry in package-lock.json`);
}
for (const name of Object.keys(allowScripts))
  if (!installed.some((each) => each.name === name && each.hasInstallScript))
    faults.push(`${name} is named under allowScripts in package.json and has no install script`);

const production = installed.filter(({ dev, devOptional }) => !dev && !devOptional);
const list = [
  '# Production dependencies',
  '',
  'Every package of `npm ci --omit=dev`, from package-lock.json: `npm run check:dependencies -- --write` makes this list, and `npm run check:dependencies` holds it.',
  '',
  ...production.map(
    ({ name, version, license, optional }) => `- ${name} ${version} (${license}${optional ? ', optional' : ''})`,
  ),
  '',
].join('\n');

if (process.argv.includes('--write')) writeFileSync(join(root, LIST), list);
else if (read(LIST) !== list)
  faults.push(
    `${LIST} is not what package-lock.json brings: npm run check:dependencies -- --write, and review the change`,
  );

for (const fault of faults) console.error(fault);
console.log(`${production.length} packages in production, ${installed.length} in all, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
