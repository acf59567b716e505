import { InvalidRequest } from '../../core/errors/app-error.js';
import { type SourceFile } from '../sources/source-file.js';
import { type ProgramRenderer } from '../programs/program.js';

const MAX_DETAIL_LENGTH = 500;
const RESTRICTED_MESSAGE = /is not in or below/;

/** The kustomize engine: `kustomize` itself, or kubectl, which has it as a command. */
export class Kustomize {
  constructor(private readonly program: ProgramRenderer) {}

  async isAvailable(): Promise<boolean> {
    return (await this.program.findVersion()) !== undefined;
  }

  /**
   * The rendered output of the Kustomization in a folder of the files: YAML documents. The caller has verified that nothing in it references a
   * remote source; here none is reachable either, and files outside the folder of each Kustomization are not read.
   * Throws InvalidRequest when it does not render, `TOO_COSTLY` when it does not end, `PROGRAM_MISSING` without a program.
   */
  async build(files: ReadonlyMap<string, SourceFile>, root: string): Promise<string> {
    const folder = root === '' ? '.' : `./${root}`;
    const work = new Map([...files].map(([path, { bytes }]) => [path, bytes]));
    const subject = findKustomization(files, root);
    const {
      status,
      stdout: output,
      stderr: said,
    } = await this.program.run({
      args: buildArguments(folder),
      files: work,
      subject,
    });
    if (status === 0) return output;
    const detail = parseReason(said);
    const remedy = RESTRICTED_MESSAGE.test(said)
      ? 'Move the file into the folder of the Kustomization that names it.'
      : undefined;
    const fault = { file: subject, detail, ...(remedy ? { remedy } : {}) };
    throw new InvalidRequest(`${subject}: ${detail}`, { errors: [fault], remedy });
  }
}

export function isKubectl(path: string): boolean {
  return /(?:^|[/\\])kubectl[^/\\]*$/.test(path);
}

function findKustomization(files: ReadonlyMap<string, SourceFile>, root: string): string {
  const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
  const found = names.map((name) => files.get(root === '' ? name : `${root}/${name}`)).find((file) => file);
  return found?.path ?? root;
}

/** Without plugins, functions, charts and network, all of which are off by default. */
function buildArguments(folder: string): string[] {
  return ['--load-restrictor', 'LoadRestrictionsRootOnly', folder];
}

/** The last informative line, without log prefixes and the path of the run. */
function parseReason(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('# Warning'));
  const [, logged] = /err="(.*)"$/.exec(lines.at(-1) ?? '') ?? [];
  const reason = (logged ?? lines.join(' '))
    .replace(/^error: /i, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (reason === '') return 'does not render, and the program does not say why';
  return reason.length > MAX_DETAIL_LENGTH ? `${reason.slice(0, MAX_DETAIL_LENGTH)}…` : reason;
}
