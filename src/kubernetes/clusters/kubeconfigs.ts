import { isSmall } from '../../formats/document-reader.js';
import { passed, type PassedError, revived } from '../../formats/passed-error.js';
import type { Task, TaskRunner } from '../../formats/task.js';
import { contextsOf, type KubeconfigContext, type KubeconfigSettings } from './kubeconfig.js';
import { readKubeconfig } from './kubeconfig-text.js';

/** A kubeconfig as text, or as the object that it stands for. */
export type KubeconfigSource = string | Record<string, unknown>;

/** Characters of an object with one context, as JSON, that are read on this thread: what credentials are kept as has some 6,000. */
const INLINE_MAX_CHARACTERS = 32 * 1024;

interface Input {
  source: KubeconfigSource;
  settings: KubeconfigSettings;
}

/** A context in a form that passes between threads. */
type PassedContext = Omit<KubeconfigContext, 'error'> & { error?: PassedError };

const task: Task<Input, PassedContext[]> = { module: import.meta.url, name: 'readInWorker' };

/** Reads kubeconfigs without holding up the event loop: small ones here, all others in a worker. */
export class Kubeconfigs {
  constructor(
    private readonly tasks: TaskRunner,
    private readonly settings: KubeconfigSettings,
  ) {}

  /** @throws InvalidRequest `KUBECONFIG_INVALID` when it is no kubeconfig; what is wrong with one context is in its `error` */
  async read(source: KubeconfigSource): Promise<KubeconfigContext[]> {
    const { settings } = this;
    if (isInline(source)) return read({ source, settings });
    const contexts = await this.tasks.run(task, { source, settings });
    return contexts.map((context) => ({
      ...context,
      ...(context.error && { error: revived(context.error) }),
    })) as KubeconfigContext[];
  }
}

function isInline(source: KubeconfigSource): boolean {
  if (typeof source === 'string') return isSmall(Buffer.from(source));
  const { contexts } = source;
  return Array.isArray(contexts) && contexts.length === 1 && JSON.stringify(source).length <= INLINE_MAX_CHARACTERS;
}

function read({ source, settings }: Input): KubeconfigContext[] {
  return typeof source === 'string' ? readKubeconfig(source, settings) : contextsOf(source, settings);
}

/** Task of the worker pool. */
export function readInWorker(input: Input): PassedContext[] {
  return read(input).map(({ error, ...context }) => ({ ...context, ...(error && { error: passed(error) }) }));
}
