import type { UsageStep } from '@shared/contract'
import { ChartColumn, CircleCheck, ImageDown, Table2 } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { CallError, call } from '../../ipc'
import { requestsPath } from '../../paths'
import { ChartCard, ChartHead, ChartLegend } from '../../ui/chart-card'
import { IconButton } from '../../ui/icon-button'
import { type Column, Table } from '../../ui/table'
import { toast } from '../../ui/toast'
import type { Measure, Point } from './points'
import { TimeChart } from './time-chart'
import { hasRequests } from './usage-query'
import { useAxisWords } from './use-span-words'
import type { Usage } from './use-usage'

interface UsageChartProps {
  readonly usage: Usage
  readonly measure: Measure
  readonly points: readonly Point[]
}

function Legend({ measure, isCompared }: { readonly measure: Measure; readonly isCompared: boolean }) {
  const { t } = useTranslation('usage')
  const { parts } = measure
  return (
    <ChartLegend
      items={[
        ...(parts.length === 1 ? [] : parts.map(({ id, colour }) => ({ name: t(`charts.parts.${id}`), colour }))),
        ...(isCompared ? [{ name: t('charts.previous') }] : []),
      ]}
    />
  )
}

/** In a chart's place when there is nothing to draw. */
export function Calm({ isGood = false, children }: { readonly isGood?: boolean; readonly children: ReactNode }) {
  return (
    <p className="flex min-h-24 flex-1 items-center justify-center gap-1.5 text-muted">
      {isGood ? <CircleCheck size={15} strokeWidth={1.9} className="text-success" aria-hidden="true" /> : null}
      {children}
    </p>
  )
}

/** Opens the requests of a bar; with the console there are none to open. */
function useOpen(usage: Usage, { id }: Measure): ((point: Point) => void) | undefined {
  const navigate = useNavigate()
  if (!hasRequests(usage.scope)) return undefined
  return ({ start, end }) =>
    void navigate(
      requestsPath({
        ...usage.wanted,
        since: start.toISOString(),
        until: end.toISOString(),
        onlyErrors: id === 'errors',
      }),
    )
}

/** A chart over time in its frame: legend, the table behind it, and its picture to save. */
export function UsageChart({ usage, measure, points }: UsageChartProps) {
  const { t } = useTranslation('usage')
  const [isTable, setIsTable] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  const savePicture = useSavePicture()
  const open = useOpen(usage, measure)
  const { step, wanted } = usage
  const chart = t(`charts.${measure.id}`)
  const isCalm = measure.id === 'errors' && points.every(({ counts }) => !counts || counts.errors === 0)
  const legend = [...measure.parts.map(({ id, colour }) => ({ name: t(`charts.parts.${id}`), colour }))]
  return (
    <ChartCard label={chart}>
      <ChartHead title={chart} legend={<Legend measure={measure} isCompared={wanted.compare} />}>
        {isTable || isCalm ? null : (
          <IconButton
            icon={ImageDown}
            size="sm"
            label={t('charts.savePicture', { chart })}
            onClick={() => savePicture({ frame: body.current, title: chart, legend })}
          />
        )}
        <IconButton
          icon={isTable ? ChartColumn : Table2}
          size="sm"
          label={t(isTable ? 'charts.showChart' : 'charts.showTable', { chart })}
          onClick={() => setIsTable(!isTable)}
        />
      </ChartHead>
      <div ref={body}>
        {isTable ? (
          <ChartTable {...{ measure, points, step, usage }} caption={chart} />
        ) : isCalm ? (
          <Calm isGood>{t('charts.noErrors')}</Calm>
        ) : (
          <TimeChart title={chart} {...{ measure, points, step }} isCompared={wanted.compare} onOpen={open} />
        )}
      </div>
    </ChartCard>
  )
}

interface Framed extends Omit<PictureOf, 'svg'> {
  /** What holds the chart. */
  readonly frame: HTMLElement | null
}

/** Saves a chart as a picture where the person says, and tells what came of it. */
function useSavePicture(): (of: Framed) => void {
  const { t } = useTranslation('usage')
  const words = useFailureWords()
  const save = async ({ frame, title, legend }: Framed): Promise<void> => {
    const svg = frame?.querySelector<SVGSVGElement>('svg.recharts-surface')
    if (!svg) return
    try {
      const { path } = await call('usage.savePicture', {
        name: title,
        pngBase64: await pictureOf({ svg, title, legend }),
      })
      if (path !== undefined) await toast(t('charts.pictureSaved'), { description: path })
    } catch (error) {
      const description = error instanceof CallError ? words(error.failure).title : ''
      await toast(t('charts.pictureFailed'), { tone: 'danger', description })
    }
  }
  return (of) => void save(of)
}

/** What a picture of a chart shows besides the chart. */
interface PictureOf {
  readonly svg: SVGSVGElement
  readonly title: string
  readonly legend: readonly { readonly name: string; readonly colour: string }[]
}

const styled = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-family',
  'text-anchor',
]
const scale = 2
const margin = 16
const headHeight = 34

/** A copy that looks the same without the page's styles: every colour and face written into it. */
function withStyles(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true)
  if (!(copy instanceof SVGSVGElement)) return svg
  const [from, to] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')]
  for (const [index, element] of [...from].entries()) {
    const style = getComputedStyle(element)
    for (const name of styled) to[index]?.setAttribute(name, style.getPropertyValue(name))
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return copy
}

async function drawn(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const text = new XMLSerializer().serializeToString(withStyles(svg))
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  return image
}

/** The colour that a value of the style sheets comes to in this theme. */
function colourIn(place: Element, value: string): string {
  const probe = document.createElement('span')
  probe.style.color = value
  place.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function drawHead(
  context: CanvasRenderingContext2D,
  { title, legend }: PictureOf,
  colourOf: (value: string) => string,
): void {
  context.textBaseline = 'middle'
  context.fillStyle = colourOf('var(--text)')
  context.font = '600 13px "Inter Variable", system-ui, sans-serif'
  context.fillText(title, margin, margin + 8)
  let x = margin + context.measureText(title).width + 20
  context.font = '12px "Inter Variable", system-ui, sans-serif'
  for (const { name, colour } of legend) {
    context.fillStyle = colourOf(colour)
    context.fillRect(x, margin + 3, 9, 9)
    context.fillStyle = colourOf('var(--text-muted)')
    context.fillText(name, x + 15, margin + 8)
    x += context.measureText(name).width + 31
  }
}

/** A chart as PNG in base64, at twice its size, with its title and legend on the surface's colour. */
async function pictureOf(picture: PictureOf): Promise<string> {
  const { svg } = picture
  const { width, height } = svg.getBoundingClientRect()
  const place = svg.parentElement ?? document.body
  const colourOf = (value: string): string => colourIn(place, value)
  const canvas = document.createElement('canvas')
  canvas.width = (width + 2 * margin) * scale
  canvas.height = (height + headHeight + 2 * margin) * scale
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  context.scale(scale, scale)
  context.fillStyle = colourOf('var(--surface)')
  context.fillRect(0, 0, canvas.width, canvas.height)
  drawHead(context, picture, colourOf)
  context.drawImage(await drawn(svg), margin, margin + headHeight, width, height)
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '')
}

interface ChartTableProps {
  readonly caption: string
  readonly usage: Usage
  readonly measure: Measure
  readonly points: readonly Point[]
  readonly step: UsageStep
}

/** The step of a row, which leads to its requests where there are any to see. */
function When({ row, usage, measure, step }: { row: ChartRow } & Pick<ChartTableProps, 'usage' | 'measure' | 'step'>) {
  const words = useAxisWords()
  const { start, end, counts } = row.point
  const text = words.inFull(step, row.point)
  if (!hasRequests(usage.scope) || !counts || measure.total(counts) === 0) return text
  const stretch = { since: start.toISOString(), until: end.toISOString(), onlyErrors: measure.id === 'errors' }
  return <Link to={requestsPath({ ...usage.wanted, ...stretch })}>{text}</Link>
}

/** The figures behind a chart as a table: exact, what is not known as such. */
function ChartTable({ caption, usage, measure, points, step }: ChartTableProps) {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const isCompared = usage.wanted.compare
  const headers = (column: TableColumn): string =>
    column === 'total' || column === 'previous' ? t(`charts.${column}`) : t(`charts.parts.${column}`)
  const held = chartColumns(measure, isCompared)
  const columns: readonly Column<ChartRow>[] = [
    {
      id: 'when',
      header: t('charts.when'),
      cell: (row) => <When row={row} usage={usage} measure={measure} step={step} />,
    },
    ...held.map(
      (column, at): Column<ChartRow> => ({
        id: column,
        header: headers(column),
        align: 'right',
        width: `${Math.min(24, 70 / held.length)}%`,
        cell: ({ values }) => {
          const value = values[at]
          return value === undefined ? <span className="text-faint">{t('charts.unknown')}</span> : number(value)
        },
      }),
    ),
  ]
  return (
    <div className="*:max-h-66">
      <Table
        caption={caption}
        columns={columns}
        rows={chartRows(measure, points, isCompared).toReversed()}
        rowKey={({ key }) => key}
      />
    </div>
  )
}

/** A row of the table behind a chart; a figure that is not known is absent. */
interface ChartRow {
  readonly key: number
  readonly point: Point
  readonly values: readonly (number | undefined)[]
}

/** The columns of the table behind a chart, by what they hold. */
type TableColumn = Measure['parts'][number]['id'] | 'total' | 'previous'

/** What stands in each column: the parts, their sum where there are several, and the span before where it is compared. */
export function chartColumns({ parts }: Measure, isCompared: boolean): readonly TableColumn[] {
  return [
    ...parts.map(({ id }) => id),
    ...(parts.length > 1 ? (['total'] as const) : []),
    ...(isCompared ? (['previous'] as const) : []),
  ]
}

/** The rows of the table behind a chart: every step that is over or under way. */
export function chartRows(measure: Measure, points: readonly Point[], isCompared: boolean): readonly ChartRow[] {
  const { parts, total } = measure
  return points
    .filter(({ state }) => state !== 'future')
    .map((point) => {
      const { counts, previous, start } = point
      const values = [
        ...parts.map(({ of }) => counts && of(counts)),
        ...(parts.length > 1 ? [counts && total(counts)] : []),
        ...(isCompared ? [previous && total(previous)] : []),
      ]
      return { key: start.getTime(), point, values }
    })
}
