import { joinClassNames } from './cn'

type LineTone = 'used' | 'idle' | 'broken'

/** A caller in the diagram. Lines to its fallback targets are dashed. */
export interface DiagramCaller {
  readonly id: string
  readonly label: string
  readonly hint?: string | undefined
  readonly calls: readonly { readonly end: string; readonly tone: LineTone; readonly isDashed?: boolean }[]
}

export interface DiagramEndpoint {
  readonly id: string
  readonly label: string
  readonly hint?: string | undefined
}

interface CallDiagramProps {
  /** Text alternative of the diagram. */
  readonly label: string
  readonly callers: readonly DiagramCaller[]
  readonly ends: readonly DiagramEndpoint[]
  /** Node that all calls pass through. */
  readonly between?: DiagramEndpoint
}

const boxHeight = 44
const diagramGap = 8
const lineWidth = 72
const arrowSize = 6

const columnHeight = (count: number): number => count * (boxHeight + diagramGap) - diagramGap

/** Vertical center of a box in a centered column. */
const getBoxCenter = (index: number, count: number, height: number): number =>
  (height - columnHeight(count)) / 2 + index * (boxHeight + diagramGap) + boxHeight / 2

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
  const end = lineWidth - arrowSize
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

function DiagramBox({ label, hint, isTall = false }: Omit<DiagramEndpoint, 'id'> & { readonly isTall?: boolean }) {
  return (
    <div
      className={joinClassNames(
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
  const callerCenter = (index: number): number => getBoxCenter(index, callers.length, height)
  const endCenter = (id: string): number =>
    getBoxCenter(
      ends.findIndex((end) => end.id === id),
      ends.length,
      height,
    )
  const lines = callers.flatMap(({ id, calls }, index) =>
    calls.map(({ end, ...line }) => ({ ...line, key: `${id} ${end}`, from: callerCenter(index), to: endCenter(end) })),
  )
  const callLines = callers.map(({ id, calls }, index): Line => {
    const center = callerCenter(index)
    return { key: id, from: center, to: center, tone: calls[0]?.tone ?? 'idle' }
  })
  return (
    <figure role="img" aria-label={label} className="flex items-stretch" style={{ minHeight: height }}>
      <div className={column}>
        {callers.map(({ id, label: name, hint }) => (
          <DiagramBox key={id} label={name} hint={hint} />
        ))}
      </div>
      {between ? (
        <>
          <Lines lines={callLines} height={height} />
          <div className="min-w-0 flex-[0.7_1_0]">
            <DiagramBox label={between.label} hint={between.hint} isTall />
          </div>
        </>
      ) : null}
      <Lines lines={lines} height={height} />
      <div className={column}>
        {ends.map(({ id, label: name, hint }) => (
          <DiagramBox key={id} label={name} hint={hint} />
        ))}
      </div>
    </figure>
  )
}
