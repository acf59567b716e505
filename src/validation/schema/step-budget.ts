/** Thrown when an evaluation exceeds its steps; the owner of the budget reports it as a warning. */
export class BudgetExceeded extends Error {
  constructor() {
    super('evaluating it takes too long');
  }
}

/** Limits the steps of one validation, so that it does not block the event loop for long. */
export class StepBudget {
  constructor(
    private left: number,
    private readonly whole?: StepBudget,
  ) {}

  /** @throws BudgetExceeded */
  spend(steps: number): void {
    this.whole?.spend(steps);
    this.left -= steps;
    if (this.left < 0) throw new BudgetExceeded();
  }

  /** A budget of at most `most` steps of this one, for a check that may exceed it without ending the validation. */
  share(most: number): StepBudget {
    return new StepBudget(most, this);
  }
}
