import { type Fault, MAX_FAULTS } from '../errors/app-error.js';

/** The faults of a request: the first hundred, and the number of all others. */
export class FaultList {
  readonly faults: Fault[] = [];
  omitted = 0;

  get isEmpty(): boolean {
    return this.faults.length === 0;
  }

  get count(): number {
    return this.faults.length + this.omitted;
  }

  /** @param create called only for a fault that is listed */
  add(create: () => Fault): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(create());
    else this.omitted += 1;
  }
}
