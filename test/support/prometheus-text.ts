/** A sample of a page in Prometheus' text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/y
const metricTypes = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])
const unescapeLabel = (text: string): string =>
  text.replace(/\\(["\\n])/g, (_, character) => (character === 'n' ? '\n' : character))

/** Parses the text format strictly: each family is declared once before its samples, and no sample repeats. */
export function readPrometheus(page: string): Sample[] {
  if (!page.endsWith('\n')) throw new Error('the last line has no end')
  const types = new Map<string, string>()
  const seenSeries = new Set<string>()
  let family = ''
  const samples: Sample[] = []
  for (const line of page.split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/.exec(line) ?? []
    if (keyword === 'TYPE') {
      if (types.has(name) || !metricTypes.has(rest)) throw new Error(`type of ${name}: ${rest}`)
      types.set(name, rest)
      family = name
    }
    if (line === '' || line.startsWith('#')) continue
    const sample = readSample(line)
    const familyName = types.get(family) === 'histogram' ? sample.name.replace(/_(bucket|sum|count)$/, '') : sample.name
    if (familyName !== family) throw new Error(`${sample.name} is not of ${family}`)
    const identity = JSON.stringify([sample.name, Object.entries(sample.labels).sort()])
    if (seenSeries.has(identity)) throw new Error(`twice: ${line}`)
    seenSeries.add(identity)
    samples.push(sample)
  }
  return samples
}

function readSample(line: string): Sample {
  const [name = ''] = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line) ?? []
  const labels: Record<string, string> = {}
  let position = name.length
  if (line[position] === '{') {
    do {
      position += 1
      label.lastIndex = position
      const [matchText = '', key = '', value = ''] = label.exec(line) ?? []
      if (matchText === '' || key in labels) throw new Error(`labels of ${line}`)
      labels[key] = unescapeLabel(value)
      position += matchText.length
    } while (line[position] === ',')
    if (line[position] !== '}') throw new Error(`labels of ${line}`)
    position += 1
  }
  const [, value = ''] = /^ (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line.slice(position)) ?? []
  if (name === '' || value === '') throw new Error(`no sample: ${line}`)
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}

/** The sum of all samples of a name with these labels. */
export const sumOfSamples = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0)
