/** A lane as seen by the memory limit of all lanes. */
interface MemoryHolder {
  /** Terminates an idle worker; returns false when there is none. */
  endIdleWorker: () => boolean;
  /** Called when memory becomes available. */
  startNext: () => void;
}

/**
 * Limits the heap of the workers of all lanes. Each lane may always have one worker, so that lanes never wait for
 * each other; further workers need free memory.
 */
export class WorkerMemory {
  private used = 0;
  private readonly holders = new Set<MemoryHolder>();

  /** @param limit in megabytes */
  constructor(private readonly limit: number) {}

  register(holder: MemoryHolder): void {
    this.holders.add(holder);
  }

  /** Reports whether a further worker fits; otherwise terminates idle workers, and notifies the lanes when they have ended. */
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
