import type { ComparisonColumn, ComparisonSetup, ComparisonView, MethodInput, PlaygroundRun } from '@shared/contract'
import { AppError } from '@shared/failure'
import { chatJob, chatValue } from './playground-inference'
import { newRun, type PlaygroundContext, type RunJob } from './runs'
import { variablesIn } from './store/comparisons'
import type { OpenTarget } from './targets'

interface CellAddress {
  readonly columnId: string
  readonly caseId?: string | undefined
}

interface Cell extends CellAddress {
  readonly run: PlaygroundRun
  readonly job: RunJob
}

/** Comparisons: columns by cases, each cell a run of its own. */
export class PlaygroundComparisons {
  readonly #ground: PlaygroundContext

  constructor(ground: PlaygroundContext) {
    this.#ground = ground
  }

  /** As it is now. Fails with `playground.notFound`. */
  async get(id: string): Promise<ComparisonView> {
    return this.#asItIs(await this.#ground.store.comparison(id))
  }

  /** Creates or changes it; runs of what is gone are stopped. */
  async save(id: string, setup: ComparisonSetup): Promise<ComparisonView> {
    const { store, runs, onChanged } = this.#ground
    const before = (await store.comparisons()).some((one) => one.id === id) ? (await store.comparison(id)).cells : []
    const view = await store.saveComparison(id, setup)
    const left = new Set(view.cells.map(({ run }) => run.id))
    await runs.stop(before.map(({ run }) => run.id).filter((runId) => !left.has(runId)))
    onChanged()
    return this.#asItIs(view)
  }

  /** Hides it and stops its runs. */
  async remove(id: string): Promise<void> {
    await this.#ground.runs.stop(await this.#ground.store.removeComparison(id))
  }

  /** Runs the named cells, or all. Fails before anything is sent when one of them cannot be. */
  async run({ id, cells }: MethodInput<'playground.runComparison'>): Promise<ComparisonView> {
    const { store, runs, onChanged } = this.#ground
    const view = await store.comparison(id)
    const places = cells ?? placesOf(view.setup)
    const planned = await this.#plan(view.setup, places)
    const again = view.cells.filter((cell) => places.some((place) => isSamePlace(place, cell)))
    await runs.stop(again.map(({ run }) => run.id))
    await store.beginCells(
      id,
      planned.map(({ columnId, caseId, run }) => ({ columnId, caseId, run })),
    )
    for (const { job } of planned) void runs.start(job)
    onChanged()
    return this.get(id)
  }

  /** Opens each column's target once; a body is made when its turn comes, but what could fail is tried before. */
  async #plan(setup: ComparisonSetup, places: readonly CellAddress[]): Promise<Cell[]> {
    const { open, clock } = this.#ground
    const opened = new Map<string, { column: ComparisonColumn; target: OpenTarget }>()
    for (const columnId of new Set(places.map((place) => place.columnId))) {
      const column = setup.columns.find((one) => one.id === columnId)
      if (!column) throw gone()
      opened.set(columnId, { column, target: await openColumn(column, setup, open) })
    }
    const at = clock()
    return places.map((place) => {
      const found = opened.get(place.columnId)
      if (!found) throw gone()
      const { column, target } = found
      const value = cellValue(setup, { column, target, caseId: place.caseId })
      const run: PlaygroundRun = { ...newRun(target, 'chat', at), state: 'waiting' }
      return { ...place, run, job: { ...chatJob({ run, target }, value), isLimited: true } }
    })
  }

  #asItIs(view: ComparisonView): ComparisonView {
    return {
      ...view,
      cells: view.cells.map((cell) => ({ ...cell, run: this.#ground.runs.live(cell.run.id)?.run ?? cell.run })),
    }
  }
}

async function openColumn(
  column: ComparisonColumn,
  setup: ComparisonSetup,
  open: PlaygroundContext['open'],
): Promise<OpenTarget> {
  const { target: wanted, name, system, parameters, prompt = setup.prompt } = column
  if (!wanted) throw new AppError('playground.noTarget', `Choose whom the column ${name} asks.`, { field: 'target' })
  if (prompt.trim() === '')
    throw new AppError('input.invalid', 'There is nothing to send. Write the prompt.', { field: 'prompt' })
  requireKnown([prompt, system], setup.variables)
  const target = await open(wanted, 'chat')
  chatValue(target, { system, parameters, messages: [{ role: 'user', parts: [{ kind: 'text', text: prompt }] }] })
  return target
}

interface CellParts {
  readonly column: ComparisonColumn
  readonly target: OpenTarget
  readonly caseId: string | undefined
}

/** What a cell sends. Fails with `playground.notFound` for a case that is not there. */
function cellValue(setup: ComparisonSetup, { column, target, caseId }: CellParts): () => unknown {
  const row = setup.cases.find((one) => one.id === caseId)
  if (caseId !== undefined && !row) throw gone()
  const values = new Map(row ? setup.variables.map((name, at) => [name, row.values[at] ?? '']) : [])
  const { system, parameters, prompt = setup.prompt } = column
  return () =>
    chatValue(target, {
      system: filled(system, values),
      parameters,
      messages: [{ role: 'user', parts: [{ kind: 'text', text: filled(prompt, values) }] }],
    })
}

/** Every column with every case; without cases each column once. */
const placesOf = ({ columns, cases }: ComparisonSetup): CellAddress[] =>
  columns.flatMap(({ id: columnId }) =>
    cases.length === 0 ? [{ columnId }] : cases.map(({ id: caseId }) => ({ columnId, caseId })),
  )

const isSamePlace = (one: CellAddress, other: CellAddress): boolean =>
  one.columnId === other.columnId && one.caseId === other.caseId

const gone = (): AppError =>
  new AppError('playground.notFound', 'This column or case is no longer there. Open the comparison again.')

/** As `variablesIn` finds them. */
const mark = /\{\{([^{}]{1,200})\}\}/g

/** A text with the values in the places of their `{{names}}`; a name without a value stays. */
function filled(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(mark, (written, name: string) => values.get(name.trim()) ?? written)
}

/** Refuses texts with names that nothing stands for, before anything is sent; where there are no variables at all, braces are ordinary text. */
function requireKnown(texts: readonly string[], variables: readonly string[]): void {
  const unknown = variables.length === 0 ? undefined : variablesIn(...texts).find((name) => !variables.includes(name))
  if (unknown === undefined) return
  const message = `{{${unknown}}} is no variable of this comparison: there are ${variables.join(', ')}. Add it, or write it differently.`
  throw new AppError('input.invalid', message, { field: 'variables' })
}
