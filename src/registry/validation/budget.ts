/** Thrown when a judgement would take too long; whoever gave the budget turns it into a warning. */
export class BudgetSpent extends Error {
  constructor() {
    super('judging it takes too long');
  }
}

/** Steps that one judgement may take, so that no schema and no resource holds the event loop. */
export class Budget {
  constructor(
    private left: number,
    private readonly whole?: Budget,
  ) {}

  /** @throws BudgetSpent */
  spend(steps: number): void {
    this.whole?.spend(steps);
    this.left -= steps;
    if (this.left < 0) throw new BudgetSpent();
  }

  /** Hands a part to a check that may fail alone. */
  share(most: number): Budget {
    return new Budget(most, this);
  }
}
