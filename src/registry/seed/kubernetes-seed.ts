import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { type ModelContent } from '../../formats/definitions/definitions.js';

const decompress = promisify(brotliDecompress);

/** The core model of Kubernetes with its components, as `npm run registry:seed` has taken it from an API server; some 25 ms. */
export async function loadKubernetesSeed(): Promise<ModelContent> {
  return JSON.parse((await decompress(await readKubernetesSeed())).toString('utf8')) as ModelContent;
}

/** The same, packed. */
export function readKubernetesSeed(): Promise<Buffer> {
  return readFile(new URL('./kubernetes.json.br', import.meta.url));
}
