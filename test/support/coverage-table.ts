/** An operation of the platform's spec. */
export interface OperationDescription {
  readonly id: string
  readonly service: string
  readonly method: string
  readonly path: string
}

/** A platform operation that the window called, with its screen, the test, and the number of calls. */
export interface TriggeredOperation {
  readonly operation: string
  readonly screen: string
  readonly test: string
  readonly times: number
}

/** The coverage table as Markdown, and the operations that no test covers. */
export interface Coverage {
  readonly text: string
  readonly missing: readonly string[]
}

const head = `# Which screen calls which operation

This page lists every operation of the platform, a screen of the window that calls it, and an end-to-end test in which the sandbox served the call. It is generated.
\`npm run e2e\` fails and rewrites this page when an operation is missing or a row is out of date. Review the change and commit it.

| Operation | Request | Screen | Test |
|---|---|---|---|
`

const rowForm = /^\| `([^`]+)` \| `[^`]+` \| `([^`]+)` \| (.+) \|$/

const toKey = (screen: string, test: string): string => `${screen} ${test}`

/** Reads the screen and test of each operation from an earlier coverage table. */
function parseCoverageEntries(table: string): ReadonlyMap<string, string> {
  const rows = table.split('\n').map((line) => rowForm.exec(line))
  return new Map(rows.flatMap((row) => (row ? [[row[1] ?? '', toKey(row[2] ?? '', row[3] ?? '')]] : [])))
}

/** Sorts by number of calls. Ties are sorted by name, so that the order of the tests does not matter. */
const compareTimes = (a: TriggeredOperation, b: TriggeredOperation): number =>
  b.times - a.times || toKey(a.screen, a.test).localeCompare(toKey(b.screen, b.test), 'en')

/** Operations of the platform, without those of the plans' gateway. */
export const platformOperations = (operations: readonly OperationDescription[]): readonly OperationDescription[] =>
  operations.filter(({ service }) => service !== 'gateway')

/** One row per operation. Keeps the row of the old table while it is still true, so that the table stays stable. */
export function computeCoverage(
  operations: readonly OperationDescription[],
  triggered: readonly TriggeredOperation[],
  previousTable: string,
): Coverage {
  const previousPlaces = parseCoverageEntries(previousTable)
  const rows = platformOperations(operations).map(({ id, method, path }) => {
    const triggers = triggered.filter(({ operation }) => operation === id).toSorted(compareTimes)
    const row = triggers.find(({ screen, test }) => previousPlaces.get(id) === toKey(screen, test)) ?? triggers[0]
    return { id, line: row && `| \`${id}\` | \`${method} ${path}\` | \`${row.screen}\` | ${row.test} |` }
  })
  const lines = rows.flatMap(({ line }) => line ?? [])
  return {
    text: `${head}${lines.toSorted().join('\n')}\n`,
    missing: rows.flatMap(({ id, line }) => (line === undefined ? [id] : [])),
  }
}
