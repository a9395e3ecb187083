import { cn } from './cn'

type LineTone = 'used' | 'idle' | 'broken'

/** A caller in the diagram. Lines to its fallback targets are dashed. */
export interface DiagramCaller {
  readonly id: string
  readonly label: string
  readonly hint?: string | undefined
  readonly calls: readonly { readonly end: string; readonly tone: LineTone; readonly isDashed?: boolean }[]
}

export interface DiagramEnd {
  readonly id: string
  readonly label: string
  readonly hint?: string | undefined
}

interface CallDiagramProps {
  /** Text alternative of the diagram. */
  readonly label: string
  readonly callers: readonly DiagramCaller[]
  readonly ends: readonly DiagramEnd[]
  /** Node that all calls pass through. */
  readonly between?: DiagramEnd
}

const boxHeight = 44
const gap = 8
const lineWidth = 72
const arrow = 6

const columnHeight = (count: number): number => count * (boxHeight + gap) - gap

/** Vertical centers of the boxes of a centered column. */
const middles = (count: number, height: number): number[] =>
  Array.from(
    { length: count },
    (_, index) => (height - columnHeight(count)) / 2 + index * (boxHeight + gap) + boxHeight / 2,
  )

// Uses text colors, so that forced-colors mode applies.
const lineTones: Record<LineTone, string> = { used: 'text-accent', idle: 'text-faint', broken: 'text-danger' }

interface Line {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly tone: LineTone
  readonly isDashed?: boolean | undefined
}

function Lines({ lines, height }: { readonly lines: readonly Line[]; readonly height: number }) {
  const end = lineWidth - arrow
  return (
    <svg width={lineWidth} height={height} aria-hidden="true" className="flex-none">
      {lines.map(({ key, from, to, tone, isDashed }) => (
        <g key={key} className={lineTones[tone]}>
          <path
            d={`M0,${from}C${end / 2},${from} ${end / 2},${to} ${end},${to}`}
            fill="none"
            stroke="currentColor"
            strokeWidth={1.5}
            strokeDasharray={isDashed ? '4 4' : undefined}
          />
          <path d={`M${end},${to - 4}L${lineWidth},${to}L${end},${to + 4}Z`} fill="currentColor" />
        </g>
      ))}
    </svg>
  )
}

function Box({ label, hint, isTall = false }: Omit<DiagramEnd, 'id'> & { readonly isTall?: boolean }) {
  return (
    <div
      className={cn(
        'flex h-11 min-w-0 flex-col justify-center rounded-md border bg-surface px-2.5 leading-4.25 *:truncate',
        isTall && 'h-full items-center text-center *:max-w-full',
      )}
    >
      <span className="font-medium" title={label}>
        {label}
      </span>
      {hint ? (
        <span className="text-muted text-xs" title={hint}>
          {hint}
        </span>
      ) : null}
    </div>
  )
}

const column = 'flex min-w-0 flex-[1_1_0] flex-col justify-center gap-2'

export function CallDiagram({ label, callers, ends, between }: CallDiagramProps) {
  const height = columnHeight(Math.max(callers.length, ends.length))
  const callerPositions = middles(callers.length, height)
  const stops = middles(ends.length, height)
  const lines = callers.flatMap(({ id, calls }, index) =>
    calls.flatMap(({ end, tone, isDashed }): Line[] => {
      const [from, to] = [callerPositions[index], stops[ends.findIndex((candidate) => candidate.id === end)]]
      return from === undefined || to === undefined ? [] : [{ key: `${id} ${end}`, from, to, tone, isDashed }]
    }),
  )
  const callLines = callers.flatMap(({ id, calls }, index): Line[] => {
    const from = callerPositions[index]
    return from === undefined ? [] : [{ key: id, from, to: from, tone: calls[0]?.tone ?? 'idle' }]
  })
  return (
    <figure role="img" aria-label={label} className="flex items-stretch" style={{ minHeight: height }}>
      <div className={column}>
        {callers.map(({ id, label: name, hint }) => (
          <Box key={id} label={name} hint={hint} />
        ))}
      </div>
      {between ? (
        <>
          <Lines lines={callLines} height={height} />
          <div className="min-w-0 flex-[0.7_1_0]">
            <Box label={between.label} hint={between.hint} isTall />
          </div>
        </>
      ) : null}
      <Lines lines={lines} height={height} />
      <div className={column}>
        {ends.map(({ id, label: name, hint }) => (
          <Box key={id} label={name} hint={hint} />
        ))}
      </div>
    </figure>
  )
}
