import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { partOf } from '../../../../test/support/long-run.js';
import { AppError } from '../../../core/errors/app-error.js';
import { toResource } from '../../../formats/design-file/design-component.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import { archiveOf, filesIn } from '../archive.fixture.js';
import { type Attempt, type ImportOutcome, same } from '../corpus.fixture.js';
import { KUSTOMIZATION_FIELDS } from './allowed-fields.js';
import { ReferenceCollector } from './reference-collector.js';

const NAMES = /^(?:kustomization\.ya?ml|Kustomization)$/;

/** The folders of Kustomizations, and the files of one with everything that it references: the archive that a user would upload. */
export class Project {
  readonly folders: string[];

  constructor(readonly files: Record<string, Buffer>) {
    this.folders = Object.keys(files).filter((path) => NAMES.test(basename(path))).map((path) => dirname(path)); // prettier-ignore
  }

  whole(folder: string): Record<string, Buffer> {
    const needed = this.needed(folder);
    return Object.fromEntries(Object.entries(this.files).filter(([path]) => needed.has(this.ownerOf(path) ?? '')));
  }

  private needed(folder: string, found = new Set<string>()): Set<string> {
    if (found.has(folder)) return found;
    found.add(folder);
    const path = Object.keys(this.files).find((each) => dirname(each) === folder && NAMES.test(basename(each))) ?? '';
    const [document] = parseDocuments({ path, bytes: this.files[path] ?? Buffer.alloc(0) });
    const { references } = new ReferenceCollector(document?.object ?? {}, KUSTOMIZATION_FIELDS, 'a Kustomization');
    for (const { text } of references) {
      const target = posix.join(folder, text).replace(/\/$/, '');
      if (this.folders.includes(target)) this.needed(target, found);
    }
    return found;
  }

  private ownerOf(path: string): string | undefined {
    const owners = this.folders.filter((folder) => path.startsWith(`${folder}/`));
    return owners.sort((a, b) => b.length - a.length)[0];
  }
}

/** The result of the program for a Kustomization in place; undefined when it fails. */
function reference(kubectl: string, folder: string): unknown[] | undefined {
  try {
    const text = execFileSync(kubectl, ['kustomize', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
    return parseDocuments({ path: folder, bytes: text }).map(({ value }) => value);
  } catch {
    return undefined;
  }
}

/** Kustomizations with the files it references, compared with the program's rendering in place. Components that only others use are foreign. */
export async function* importKustomizations(
  corpus: string,
  kubectl: string,
  attempt: Attempt,
): AsyncGenerator<ImportOutcome> {
  for (const name of readdirSync(join(corpus, 'kubernetes'))) {
    const project = new Project(filesIn(join(corpus, 'kubernetes', name), name));
    for (const path of partOf(project.folders)) {
      const expected = reference(kubectl, join(corpus, 'kubernetes', path));
      const result = await attempt(await archiveOf(project.whole(path)));
      if (result instanceof AppError) {
        const alone = result.errors.some(({ remedy }) => remedy?.startsWith('This is a Component'));
        const located = result.errors.every(({ file, line }) => file !== undefined && line !== undefined);
        const isWrong = Boolean(expected?.length) || (!located && !alone);
        yield { path, outcome: isWrong ? 'wrong' : alone ? 'foreign' : 'refused', why: result.message };
        continue;
      }
      const { design, sourceType } = result;
      const isRight = sourceType === 'kustomize' && same(design.components.map(toResource), expected);
      yield { path, outcome: isRight ? 'imported' : 'wrong', why: isRight ? '' : 'is another than rendered in place', imported: result }; // prettier-ignore
    }
  }
}
