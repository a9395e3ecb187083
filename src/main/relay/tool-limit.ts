/** Limits an amount that all tools share, such as bytes in memory, and the part of it that one tool may take. */
export class ToolLimit {
  readonly #amounts = new Map<string, number>()
  #total = 0

  constructor(
    private readonly max: number,
    private readonly maxPerTool: number,
  ) {}

  /** Amount that each tool has taken. */
  get amounts(): ReadonlyMap<string, number> {
    return this.#amounts
  }

  /** Takes an amount for a tool. Returns false when a limit is reached. */
  take(toolId: string, amount: number): boolean {
    const toolAmount = (this.#amounts.get(toolId) ?? 0) + amount
    if (this.#total + amount > this.max || toolAmount > this.maxPerTool) return false
    this.#total += amount
    this.#amounts.set(toolId, toolAmount)
    return true
  }

  release(toolId: string, amount: number): void {
    this.#total -= amount
    this.#amounts.set(toolId, (this.#amounts.get(toolId) ?? 0) - amount)
  }
}
