import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { AppError } from '../../../core/errors/app-error.js';
import { resourceOf } from '../../../formats/design-component.js';
import { DocumentReader } from '../../../formats/document-reader.js';
import { readDocuments } from '../../../formats/documents.js';
import { Programs } from '../../../formats/programs/programs.js';
import { WorkerPool } from '../../../formats/worker-pool.js';
import { archiveOf, filesIn } from '../archive.fixture.js';
import { importDesign } from '../detect.js';
import { referencesOf } from './references.js';

const NAMES = /^(?:kustomization\.ya?ml|Kustomization)$/;

/** The folders of Kustomizations, and the files of one with everything that it names: what somebody would pack. */
class Project {
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
    const [document] = readDocuments({ path, bytes: this.files[path] ?? Buffer.alloc(0) });
    for (const reference of referencesOf(document?.object ?? {})) {
      const target = posix.join(folder, reference.path).replace(/\/$/, '');
      if (this.folders.includes(target)) this.needed(target, found);
    }
    return found;
  }

  private ownerOf(path: string): string | undefined {
    const owners = this.folders.filter((folder) => path.startsWith(`${folder}/`));
    return owners.sort((a, b) => b.length - a.length)[0];
  }
}

requires('CORPUS_DIR', 'the Kustomizations of the corpus', (corpus) => {
  requires('KUBEBUILDER_ASSETS', 'with the kustomize of kubectl', (assets) => {
    const kubectl = join(assets, 'kubectl');
    const pool = new WorkerPool();
    const reader = new DocumentReader(pool);
    const programs = new Programs({ kustomize: kubectl });
    afterAll(() => pool.close());

    /** What the program makes of it in place; undefined when it fails. */
    const reference = (folder: string): unknown[] | undefined => {
      try {
        const text = execFileSync(kubectl, ['kustomize', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
        return readDocuments({ path: folder, bytes: text }).map(({ value }) => value);
      } catch {
        return undefined;
      }
    };

    it('are imported as the program renders them, or refused with the place where it fails', async () => {
      const count = { imported: 0, resources: 0, refused: 0, components: 0 };
      const wrong: string[] = [];
      for (const name of readdirSync(join(corpus, 'kubernetes'))) {
        const root = join(corpus, 'kubernetes', name);
        const project = new Project(filesIn(root, name));
        for (const folder of project.folders) {
          const expected = reference(join(corpus, 'kubernetes', folder));
          const result = await importDesign(await archiveOf(project.whole(folder)), reader, { programs }).catch((error: unknown) => error); // prettier-ignore
          if (result instanceof AppError) {
            const alone = result.errors.some(({ remedy }) => remedy?.startsWith('This is a Component'));
            const located = result.errors.every(({ file, line }) => file !== undefined && line !== undefined);
            if (expected?.length || (!located && !alone)) wrong.push(`${folder}: ${result.message}`);
            else if (alone) count.components += 1;
            else count.refused += 1;
            continue;
          }
          const { design, sourceType } = result as Awaited<ReturnType<typeof importDesign>>;
          count.imported += 1;
          count.resources += design.components.length;
          expect({ folder, sourceType }).toEqual({ folder, sourceType: 'kustomize' });
          expect({ folder, made: design.components.map(resourceOf) }).toEqual({ folder, made: expected });
        }
      }
      console.info(
        `Kustomize corpus: ${count.imported} imported (${count.resources} resources, as the program renders them), ${count.refused} rightly refused, ${count.components} are components that only others use, ${wrong.length} wrong`,
      );
      expect(wrong).toEqual([]);
      expect(count.imported).toBeGreaterThan(14);
    }, 120_000);
  });
});
