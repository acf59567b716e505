import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { type JsonObject } from '../../formats/located.js';
import { type ModelContent } from '../definition.js';
import { digestOf } from '../digest.js';
import { componentFile, definitionVersion, modelFile, relationshipFile } from './definition-files.js';
import { FileNames, pathSegment } from './file-names.js';
import { inOrder } from './package-content.js';

interface Member {
  path: string;
  file: JsonObject;
}

/**
 * Writes models as a .tar.gz in the layout `<model>/<version>/v1.0.0/{model.json,components,relationships}`, which readPackage reads back with the same content.
 * The same models in the same order give the same bytes. A model is asked for when the one before it is written, so they need not be in memory together.
 */
export function writePackage(contents: Iterable<ModelContent> | AsyncIterable<ModelContent>): Readable {
  const tar = pack();
  // The stream that is handed out tells of errors, to whoever reads it.
  const zip = pipeline(tar as unknown as Readable, createGzip(), () => undefined);
  fill(tar, contents).catch((error: Error) => tar.destroy(error));
  return zip;
}

async function fill(tar: Pack, contents: Iterable<ModelContent> | AsyncIterable<ModelContent>): Promise<void> {
  const names = new FileNames();
  for await (const content of contents) {
    for (const member of membersOf(content, names)) await write(tar, member);
  }
  tar.finalize();
}

/** Resolves once the archive wants more, so that nothing piles up before a slow reader. */
function write(tar: Pack, { path, file }: Member): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(file, null, 2)}\n`);
  const header = { name: path, size: bytes.length, mode: 0o644, mtime: new Date(0) };
  return new Promise((resolve, reject) => {
    const entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
    entry.end(bytes);
  });
}

function* membersOf({ model, components, relationships }: ModelContent, names: FileNames): Generator<Member> {
  const within = `${pathSegment(model.version)}/${pathSegment(definitionVersion(model))}`;
  const name = pathSegment(model.name);
  const folder = names.claim((suffix) => `${name}${suffix}/${within}`, `-${pathSegment(model.registrant.hostname)}`);
  yield { path: `${folder}/model.json`, file: modelFile(model) };
  const sorted = [...components].sort((a, b) => inOrder(a.kind, b.kind) || inOrder(a.apiVersion, b.apiVersion));
  for (const component of sorted) {
    const path = names.claim(
      (suffix) => `${folder}/components/${pathSegment(component.kind)}${suffix}.json`,
      `-${pathSegment(component.apiVersion)}`,
    );
    yield { path, file: componentFile(component, model) };
  }
  const digests = relationships.map((each) => ({ each, digest: each.digest ?? digestOf(each) }));
  for (const { each, digest } of digests.sort((a, b) => inOrder(a.digest, b.digest))) {
    const words = pathSegment(`${each.kind}-${each.type}-${each.subType}`);
    const path = names.claim((suffix) => `${folder}/relationships/${words}${suffix}.json`, `-${digest.slice(0, 8)}`);
    yield { path, file: relationshipFile(each, model) };
  }
}
