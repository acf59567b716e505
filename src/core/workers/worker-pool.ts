import { type Lane, type TaskOptions, type Task, type TaskRunner } from './task.js';
import { WorkerMemory } from './worker-memory.js';
import { WorkerLane, type WorkerLaneOptions } from './worker-lane.js';

export type { Lane } from './task.js';

/** Long enough for a person who imports one file after another. */
const IDLE_MS = 120_000;

export const DEFAULT_LANE_OPTIONS: Readonly<Record<Lane, Readonly<WorkerLaneOptions>>> = {
  foreign: {
    size: 2,
    timeLimit: 20_000,
    memory: 384,
    waiting: 100,
    waitingPerCaller: 20,
    niceness: 5,
    idleMs: IDLE_MS,
  },
  own: { size: 2, timeLimit: 20_000, memory: 384, waiting: 200, waitingPerCaller: 50, niceness: 0, idleMs: IDLE_MS },
  connection: {
    size: 1,
    timeLimit: 5_000,
    memory: 384,
    waiting: 100,
    waitingPerCaller: 10,
    niceness: 0,
    idleMs: IDLE_MS,
  },
  cluster: {
    size: 1,
    timeLimit: 10_000,
    memory: 384,
    waiting: 200,
    waitingPerCaller: 50,
    niceness: 0,
    idleMs: IDLE_MS,
  },
};
/** The heap limit of all workers in megabytes. */
const DEFAULT_TOTAL_MEMORY = 8 * 384;

/** Runs pure tasks off the event loop with limits of time, memory and number, in lanes that never wait for each other. */
export class WorkerPool implements TaskRunner {
  private readonly lanes: Readonly<Record<Lane, WorkerLane>>;

  constructor({ totalMemory, ...options }: Partial<WorkerLaneOptions & { totalMemory: number }> = {}) {
    const memory = new WorkerMemory(totalMemory ?? DEFAULT_TOTAL_MEMORY);
    const lane = (name: Lane): WorkerLane => new WorkerLane({ ...DEFAULT_LANE_OPTIONS[name], ...options }, memory);
    this.lanes = {
      foreign: lane('foreign'),
      own: lane('own'),
      connection: lane('connection'),
      cluster: lane('cluster'),
    };
  }

  /**
   * Runs a task in a worker. Input and output are plain data and copied, except transferred buffers.
   * @throws AppError thrown by the task; InvalidRequest `TOO_COSTLY` over the limits of time or memory; 429
   * `TOO_BUSY` when too many tasks wait
   */
  run<Input, Output>(task: Task<Input, Output>, input: Input, settings: TaskOptions = {}): Promise<Output> {
    return this.getLane(settings).run(task, input, settings, () => undefined) as Promise<Output>;
  }

  /** Like `run`, for a generator; its values are transferred one at a time, so that none blocks the event loop for long. */
  async collect<Input, Part>(
    task: Task<Input, Iterable<Part>>,
    input: Input,
    settings: TaskOptions = {},
  ): Promise<Part[]> {
    const parts: Part[] = [];
    await this.getLane(settings).run(task, input, settings, (part) => parts.push(part as Part));
    return parts;
  }

  /** Counts the tasks of each lane. */
  listLoads(): { lane: Lane; running: number; waiting: number }[] {
    return (Object.keys(this.lanes) as Lane[]).map((lane) => ({ lane, ...this.lanes[lane].load }));
  }

  /** Terminates all workers; running and waiting tasks are rejected. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.lanes).map((lane) => lane.close()));
  }

  private getLane({ lane = 'foreign' }: TaskOptions): WorkerLane {
    return this.lanes[lane];
  }
}
