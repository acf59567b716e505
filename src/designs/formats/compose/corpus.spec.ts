import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { type AppError, InvalidRequest } from '../../../core/errors/app-error.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import { resourcesIn, Score } from '../corpus.fixture.js';
import { composeFormat } from './compose-format.js';
import { attempt, ComposeCorpus, inputOf, kindsOf, overlays } from './corpus.fixture.js';

requires('CORPUS_DIR', 'the Compose files of the corpus', (corpus) => {
  const compose = new ComposeCorpus(corpus);

  it('are imported, or refused for the reason that Docker Compose has too', async () => {
    const { counts, wrong } = await Score.of(compose.outcomes());
    expect(wrong).toEqual([]);
    expect(counts.imported).toBeGreaterThan(165);
  }, 120_000);

  it('are imported together with the files that they are laid over', async () => {
    for (const [name, others] of Object.entries(overlays)) {
      const [project = '', ...path] = name.split('/');
      const files = compose.filesOf(project);
      const names = [...others, path.join('/')];
      const archive = { ...inputOf(files, others[0] ?? ''), archive: true, name: 'corpus.zip' };
      const chosen = new Map([...archive.files].filter(([file]) => names.includes(file)));
      const result = await composeFormat
        .read({ ...archive, files: chosen }, { env: { COMPOSE_FILE: names.join(':') } })
        .catch((error: unknown) => (error as AppError).errors);
      expect({ name, result }).toMatchObject({ name, result: { sourceType: 'docker-compose' } });
    }
  }, 60_000);

  it('become the kinds of resources that kompose makes of them', async () => {
    const wrong: string[] = [];
    let equal = 0;
    for await (const { path, outcome, why } of compose.comparedWithKompose()) {
      if (outcome === 'equal') equal += 1;
      if (outcome === 'wrong') wrong.push(`${path}: ${why}`);
    }
    expect(wrong).toEqual([]);
    expect(equal).toBeGreaterThan(40);
  }, 60_000);

  it('become what the bridge of Docker Compose makes of them, but for its namespace, its second Services and its policies', async () => {
    const files = compose.filesOf('docker__compose');
    const result = await attempt(inputOf(files, 'bridge/compose.yaml'));
    if (result instanceof InvalidRequest) throw result;
    const theirs = [...files].filter(([path]) => /bridge\/expected-kubernetes\/base\/(?!kustomization)/.test(path));
    const kinds = new Set(
      kindsOf(theirs.flatMap(([, file]) => parseDocuments(file).flatMap(({ value }) => resourcesIn(value)))),
    );
    const ours = new Set(result.design.components.map(({ component }) => component.kind));
    expect([...kinds].filter((kind) => !ours.has(kind))).toEqual(['Namespace', 'NetworkPolicy']);
    expect([...ours].filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  it('that are hostile are refused, or taken without harm', async () => {
    const folder = join(corpus, 'hostile/files');
    const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as {
      file: string;
      kind: string;
      expect: string;
    }[];
    const hostile = cases.filter(({ kind }) => kind === 'docker-compose');
    expect(hostile.length).toBeGreaterThan(10);
    for (const { file, expect: expected } of hostile) {
      const bytes = readFileSync(join(folder, file));
      const result = await attempt(inputOf(new Map([[file, { path: file, bytes }]]), file));
      if (result instanceof InvalidRequest) expect(result.errors.length).toBeGreaterThan(0);
      if (expected !== 'either')
        expect(`${file} ${result instanceof InvalidRequest ? 'reject' : 'accept'}`).toBe(`${file} ${expected}`);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
