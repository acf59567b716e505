import { type Lane, type TaskOptions, type Task, type TaskRunner } from './task.js';
import { WorkerMemory } from './worker-memory.js';
import { WorkerLane, type WorkerLaneOptions } from './worker-lane.js';

export type { Lane } from './task.js';

export const DEFAULT_LANE_OPTIONS: Readonly<Record<Lane, Readonly<WorkerLaneOptions>>> = {
  foreign: { size: 2, timeLimit: 20_000, memory: 384, waiting: 100, waitingPerCaller: 20, niceness: 5 },
  own: { size: 2, timeLimit: 20_000, memory: 384, waiting: 200, waitingPerCaller: 50, niceness: 0 },
  connection: { size: 1, timeLimit: 5_000, memory: 384, waiting: 100, waitingPerCaller: 10, niceness: 0 },
  cluster: { size: 1, timeLimit: 10_000, memory: 384, waiting: 200, waitingPerCaller: 50, niceness: 0 },
};
/** Megabytes of heap of all workers together. */
const DEFAULT_TOTAL_MEMORY = 8 * 384;

/** Runs pure tasks off the event loop, bounded in time, memory and number, in lanes that never wait for one another. */
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
   * Input and output are copied but for the buffers that are named, so they must be plain data. Rejects with the AppError that the task
   * threw, InvalidRequest `TOO_COSTLY` when time or memory ran out, or a 429 when too many tasks wait.
   */
  run<Input, Output>(task: Task<Input, Output>, input: Input, settings: TaskOptions = {}): Promise<Output> {
    return this.getLane(settings).run(task, input, settings, () => undefined) as Promise<Output>;
  }

  /** As run, for a generator: its parts cross over one at a time, so that none holds up the event loop for long. */
  async collect<Input, Part>(
    task: Task<Input, Iterable<Part>>,
    input: Input,
    settings: TaskOptions = {},
  ): Promise<Part[]> {
    const parts: Part[] = [];
    await this.getLane(settings).run(task, input, settings, (part) => parts.push(part as Part));
    return parts;
  }

  /** How many tasks each lane has. */
  listLoads(): { lane: Lane; running: number; waiting: number }[] {
    return (Object.keys(this.lanes) as Lane[]).map((lane) => ({ lane, ...this.lanes[lane].load }));
  }

  /** Ends all workers; what is running or waiting is rejected. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.lanes).map((lane) => lane.close()));
  }

  private getLane({ lane = 'foreign' }: TaskOptions): WorkerLane {
    return this.lanes[lane];
  }
}
