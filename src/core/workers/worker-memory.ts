/** A lane as the memory of all lanes knows it. */
interface MemoryHolder {
  /** Ends a worker that has nothing to do; false when there is none. */
  endIdleWorker: () => boolean;
  /** There is room again. */
  startNext: () => void;
}

/**
 * The heap that the workers of all lanes may have together. Each lane may have one worker in any case, so that no lane waits for another;
 * further ones are started while there is room.
 */
export class WorkerMemory {
  private used = 0;
  private readonly holders = new Set<MemoryHolder>();

  /** Megabytes. */
  constructor(private readonly limit: number) {}

  register(holder: MemoryHolder): void {
    this.holders.add(holder);
  }

  /** False when a further worker is more than there is room for; idle workers then make room, of which the lanes hear. */
  hasRoom(megabytes: number): boolean {
    if (this.used + megabytes <= this.limit) return true;
    for (const holder of this.holders) if (holder.endIdleWorker()) break;
    return false;
  }

  take(megabytes: number): void {
    this.used += megabytes;
  }

  give(megabytes: number): void {
    this.used -= megabytes;
    for (const holder of this.holders) holder.startNext();
  }
}
