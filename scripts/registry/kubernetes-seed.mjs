// Makes src/registry/seed/kubernetes.json.br, the model of Kubernetes that a fresh server knows, from a real API server:
// the one in the folder that KUBEBUILDER_ASSETS names. The same API server gives the same bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { defaultLimits } from '../../src/formats/sources/format-limits.js';
import { generateOfCluster } from '../../src/generators/generate-from-cluster.js';
import { startCluster } from '../../test/support/cluster.js';
import { describeApi } from '../../test/support/openapi-documents.js';

const folder = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'src/registry/seed');

function seedOf({ version, documents }) {
  const input = { name: 'kubernetes', version, documents, definitions: [], config: {}, limits: defaultLimits };
  const { contents, faults, warnings } = generateOfCluster(input);
  const [content] = contents;
  if (contents.length !== 1 || faults.length + warnings.length > 0) {
    throw new Error(
      `The API server is not understood: ${JSON.stringify({ contents: contents.length, faults, warnings })}`,
    );
  }
  content.model.metadata.license = 'Apache-2.0';
  const place = ({ apiVersion, kind }) => `${apiVersion} ${kind}`;
  content.components.sort((a, b) => (place(a) < place(b) ? -1 : 1));
  return content;
}

function notice(version) {
  return `kubernetes.json.br holds schemas and descriptions of the API of Kubernetes ${version},
which kube-apiserver ${version} published at /openapi/v3.

Copyright The Kubernetes Authors (https://kubernetes.io).
Licensed under the Apache License, Version 2.0; see LICENSE beside this file.

Changes: one self-contained JSON Schema for each kind of resource, with a title.
Made by "npm run registry:seed".
`;
}

const cluster = await startCluster({ bare: true });
try {
  const api = await describeApi(cluster);
  const content = seedOf(api);
  const text = JSON.stringify(content);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const packed = brotliCompressSync(text, { params: { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'kubernetes.json.br'), packed);
  await writeFile(join(folder, 'NOTICE'), notice(api.version));
  console.log(`Kubernetes ${api.version}: ${content.components.length} components, ${packed.length} bytes.`);
} finally {
  await cluster.stop();
}
