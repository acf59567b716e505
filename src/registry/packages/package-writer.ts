import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import type { JsonObject } from '../../core/json/json.js';
import type { ModelContent } from '../../formats/definitions/definitions.js';
import { definitionDigest } from '../../formats/definitions/definition-digest.js';
import { toComponentFile, definitionVersionOf, toModelFile, toRelationshipFile } from './definition-files.js';
import { compareByCodeUnits } from './package-content.js';
import { trimTextEnd, trimTextStart } from '../../core/trim-text.js';

interface ArchiveMember {
  path: string;
  file: JsonObject;
}

/**
 * Writes models as a .tar.gz in the layout `<model>/<version>/v1.0.0/{model.json,components,relationships}`, which readPackage reads back with the same content.
 * Equal models in the same order give equal bytes. A model is read after the previous one is written, so they need not be in memory together.
 */
export function writePackage(contents: Iterable<ModelContent> | AsyncIterable<ModelContent>): Readable {
  const tar = pack();
  // The returned stream reports errors to its reader.
  // A Pack is a stream of streamx, which `pipeline` accepts although its types do not allow it.
  const zip = pipeline(tar as unknown as Readable, createGzip(), () => undefined);
  writeMembers(tar, contents).catch((error: Error) => tar.destroy(error));
  return zip;
}

async function writeMembers(tar: Pack, contents: Iterable<ModelContent> | AsyncIterable<ModelContent>): Promise<void> {
  const names = new FileNames();
  for await (const content of contents) {
    for (const member of archiveMembers(content, names)) await writeMember(tar, member);
  }
  tar.finalize();
}

/** Resolves when the archive accepts more data, for back-pressure with a slow reader; rejects when the reader has gone. */
function writeMember(tar: Pack, { path, file }: ArchiveMember): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(file, null, 2)}\n`);
  const header = { name: path, size: bytes.length, mode: 0o644, mtime: new Date(0) };
  return new Promise((resolve, reject) => {
    const entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
    // A member is a separate stream, whose error ends the process without a listener.
    entry.on('error', reject);
    entry.end(bytes);
  });
}

function* archiveMembers(
  { model, components, relationships }: ModelContent,
  names: FileNames,
): Generator<ArchiveMember> {
  const within = `${toPathSegment(model.version)}/${toPathSegment(definitionVersionOf(model))}`;
  const name = toPathSegment(model.name);
  const folder = names.claim((suffix) => `${name}${suffix}/${within}`, `-${toPathSegment(model.registrant.hostname)}`);
  yield { path: `${folder}/model.json`, file: toModelFile(model) };
  const sorted = [...components].sort(
    (a, b) => compareByCodeUnits(a.kind, b.kind) || compareByCodeUnits(a.apiVersion, b.apiVersion),
  );
  for (const component of sorted) {
    const path = names.claim(
      (suffix) => `${folder}/components/${toPathSegment(component.kind)}${suffix}.json`,
      `-${toPathSegment(component.apiVersion)}`,
    );
    yield { path, file: toComponentFile(component, model) };
  }
  const digests = relationships.map((each) => ({ each, digest: each.digest ?? definitionDigest(each) }));
  for (const { each, digest } of digests.sort((a, b) => compareByCodeUnits(a.digest, b.digest))) {
    const words = toPathSegment(`${each.kind}-${each.type}-${each.subType}`);
    const path = names.claim((suffix) => `${folder}/relationships/${words}${suffix}.json`, `-${digest.slice(0, 8)}`);
    yield { path, file: toRelationshipFile(each, model) };
  }
}

const MAX_SEGMENT_LENGTH = 100;

/** Gives each file of an archive a unique name, also on case-insensitive file systems. */
export class FileNames {
  private readonly taken = new Set<string>();

  /** The first unused name: without a suffix, with each of these suffixes, or with numbers. */
  claim(nameWith: (suffix: string) => string, ...suffixes: string[]): string {
    for (let number = 2, candidates = ['', ...suffixes]; ; number += 1, candidates = [`-${number}`]) {
      for (const suffix of candidates) {
        const name = nameWith(suffix);
        const key = name.normalize('NFC').toLowerCase();
        if (this.taken.has(key)) continue;
        this.taken.add(key);
        return name;
      }
    }
  }
}

/** Text as a valid path segment on any system; no hidden files are created. */
export function toPathSegment(text: string): string {
  const plain = trimTextEnd(trimTextStart(text.replace(/[^\p{L}\p{N}._ -]/gu, '-'), /[._ ]/), /[. ]/);
  return Array.from(plain).slice(0, MAX_SEGMENT_LENGTH).join('') || 'unnamed';
}
