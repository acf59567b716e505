import { canParseInline } from '../../formats/documents/document-reader.js';
import { serializeError, type SerializedError, deserializeError } from '../../core/workers/serialized-error.js';
import { defineTask, type Task, type TaskRunner } from '../../core/workers/task.js';
import { readContexts, type KubeconfigContext, type KubeconfigSettings } from './kubeconfig.js';
import { parseKubeconfig } from './parse-kubeconfig.js';

/** A kubeconfig as YAML or JSON text, or as the parsed object. */
export type KubeconfigSource = string | Record<string, unknown>;

/** The maximum size of a kubeconfig with one context to parse on this thread; stored credentials have some 6,000 characters. */
const INLINE_MAX_CHARACTERS = 32 * 1024;

interface LoadInput {
  source: KubeconfigSource;
  settings: KubeconfigSettings;
}

/** A context that can be passed between threads. */
type TransferableContext = Omit<KubeconfigContext, 'error'> & { error?: SerializedError };

const loadTask: Task<LoadInput, TransferableContext[]> = defineTask(import.meta.url, { readInWorker });

/** Parses kubeconfigs without blocking the event loop: small ones on this thread, others in a worker. */
export class KubeconfigLoader {
  constructor(
    private readonly tasks: TaskRunner,
    private readonly settings: KubeconfigSettings,
  ) {}

  /**
   * @returns the contexts, each with its own `error`
   * @throws InvalidRequest `KUBECONFIG_INVALID` when it is not a kubeconfig
   */
  async load(source: KubeconfigSource): Promise<KubeconfigContext[]> {
    const { settings } = this;
    if (isInline(source)) return parse({ source, settings });
    const contexts = await this.tasks.run(loadTask, { source, settings }, { lane: 'connection' });
    return contexts.map((context) => ({
      ...context,
      ...(context.error && { error: deserializeError(context.error) }),
    })) as KubeconfigContext[];
  }
}

function isInline(source: KubeconfigSource): boolean {
  if (typeof source === 'string') return canParseInline(Buffer.from(source));
  const { contexts } = source;
  return Array.isArray(contexts) && contexts.length === 1 && JSON.stringify(source).length <= INLINE_MAX_CHARACTERS;
}

function parse({ source, settings }: LoadInput): KubeconfigContext[] {
  return typeof source === 'string' ? parseKubeconfig(source, settings) : readContexts(source, settings);
}

/** A task of the worker pool. */
export function readInWorker(input: LoadInput): TransferableContext[] {
  return parse(input).map(({ error, ...context }) => ({ ...context, ...(error && { error: serializeError(error) }) }));
}
