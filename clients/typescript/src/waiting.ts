import { ArmatureError, type ErrorCode } from './armature-error.js';
import type { DeploymentView, OperationView, Problem } from './generated/types.gen.js';
import { sleep } from './transport.js';

/** What `waitFor` waits for: a record by its id. */
export type Awaited = { operation: string; deployment?: undefined } | { deployment: string; operation?: undefined };

export interface WaitOptions<Entry> {
  /** Milliseconds; default: no limit. */
  timeout?: number;
  signal?: AbortSignal;
  /** Told of the record whenever it has changed. */
  onProgress?: (record: Entry) => void;
}

const FIRST_INTERVAL_MS = 300;
const LONGEST_INTERVAL_MS = 3_000;

/** Statuses that end well, and those that do not. */
const SUCCEEDED = new Set(['succeeded', 'undeployed']);
const FAILED = new Set(['failed', 'cancelled', 'rolled_back']);

/** Reads a record until its work has ended. @throws ArmatureError when it did not end well, or not in time */
export async function waitForEnd<Entry extends DeploymentView | OperationView>(
  read: (signal: AbortSignal | undefined) => Promise<Entry>,
  { timeout, signal, onProgress }: WaitOptions<Entry>,
): Promise<Entry> {
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  const both = signal && limit ? AbortSignal.any([signal, limit]) : (signal ?? limit);
  let seen = '';
  let status = 'not read';
  try {
    for (let interval = FIRST_INTERVAL_MS; ; interval = Math.min(interval * 1.5, LONGEST_INTERVAL_MS)) {
      const record = await read(both);
      const text = JSON.stringify(record);
      if (text !== seen) onProgress?.(record);
      [seen, status] = [text, record.status];
      if (SUCCEEDED.has(status)) return record;
      if (FAILED.has(status)) throw failureOf(record);
      await sleep(interval, both);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!limit?.aborted || error !== limit.reason) throw error;
    throw new ArmatureError(`It was still ${status} after ${timeout} ms.`, { code: 'TIMEOUT' });
  }
}

/** The problem that the record tells, as the call itself would have had it, with the record. */
function failureOf(record: DeploymentView | OperationView): ArmatureError {
  const isDeployment = 'design_id' in record;
  const { detail, code, ...rest } = {
    status: 409,
    code: isDeployment ? 'DEPLOYMENT_CANCELLED' : 'OPERATION_FINISHED',
    detail: `It is ${record.status}.`,
    errors: [],
    ...record.error,
  };
  const problem = { ...rest, code, detail, ...(isDeployment ? { deployment: record } : { operation: record }) };
  return new ArmatureError(detail, {
    status: rest.status,
    code: code as ErrorCode,
    problem: problem as unknown as Problem,
  });
}
