import fs from 'node:fs';

const root = [new URL('../../package.json', import.meta.url), new URL('../../../package.json', import.meta.url)];
const found = root.find((file) => fs.existsSync(file));
const { version } = JSON.parse(found ? fs.readFileSync(found, 'utf8') : '{"version":"0.0.0"}') as { version: string };

/** The version of the server; `api` is that of the API, also in the header API-Version. */
export const VERSION = { name: 'armature', version, api: '1', node: process.version };
