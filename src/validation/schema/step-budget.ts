/** Thrown when an evaluation would take too long; the owner of the budget turns it into a warning. */
export class BudgetExceeded extends Error {
  constructor() {
    super('judging it takes too long');
  }
}

/** Steps that one judgement may take, so that no schema and no resource holds the event loop. */
export class StepBudget {
  constructor(
    private left: number,
    private readonly whole?: StepBudget,
  ) {}

  /** @throws BudgetSpent */
  spend(steps: number): void {
    this.whole?.spend(steps);
    this.left -= steps;
    if (this.left < 0) throw new BudgetExceeded();
  }

  /** Hands a part to a check that may fail alone. */
  share(most: number): StepBudget {
    return new StepBudget(most, this);
  }
}
