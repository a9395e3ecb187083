import type { MethodInput } from '@shared/contract'
import i18next from 'i18next'
import { ChartColumn, Copy, FileImage, ImageDown, type LucideIcon, Spline, Table2 } from 'lucide-react'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { showFailureToast } from '../../i18n/failures'
import { call } from '../../ipc'
import { ChartHead } from '../../ui/chart-card'
import { IconButton } from '../../ui/icon-button'
import { MenuButton } from '../../ui/menu'
import { toast } from '../../ui/toast'

const t = i18next.getFixedT(null, 'usage')

interface PictureMenuProps {
  readonly frame: RefObject<HTMLElement | null>
  readonly title: string
  readonly legend?: readonly { readonly name: string; readonly colour: string }[] | undefined
}

/** Title, buttons and content of a chart, which the user can switch to a table. */
export function ChartFigure(props: {
  readonly title: string
  readonly heading?: 'h2' | 'h3'
  readonly legend?: ReactNode
  /** Legend of the exported picture. */
  readonly series?: PictureMenuProps['legend']
  /** Icon of the button that switches back from table to chart. */
  readonly icon?: LucideIcon
  /** Whether to hide the save button, because the chart has no data. */
  readonly isCalm?: boolean
  /** Content after the chart's buttons. */
  readonly actions?: ReactNode
  /** The same data as a table. */
  readonly table: ReactNode
  /** Text alternative of the chart. Undefined if the chart has its own. */
  readonly label?: string
  readonly children: ReactNode
}) {
  const { title, heading = 'h3', legend, series, icon = ChartColumn, isCalm, actions, table, label, children } = props
  const [isTable, setIsTable] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  return (
    <>
      <ChartHead title={title} heading={heading} legend={legend}>
        {isTable || isCalm ? null : <PictureMenu {...{ frame, title }} legend={series} />}
        <IconButton
          icon={isTable ? icon : Table2}
          size="sm"
          label={t(isTable ? 'charts.showChart' : 'charts.showTable', { chart: title })}
          onClick={() => setIsTable(!isTable)}
        />
        {actions}
      </ChartHead>
      {isTable ? (
        <div className="*:max-h-66">{table}</div>
      ) : (
        // Align the chart at the bottom, so that its time axis is level with that of a neighboring chart with a
        // longer legend.
        <div ref={frame} className="mt-auto" {...(label !== undefined && { role: 'img', 'aria-label': label })}>
          {children}
        </div>
      )}
    </>
  )
}

function PictureMenu({ frame, title, legend = [] }: PictureMenuProps) {
  const exportDrawing = async (work: (picture: SvgDrawing) => Promise<string | undefined>): Promise<void> => {
    const svg = frame.current?.querySelector<SVGSVGElement>('svg.recharts-surface, svg[data-chart]')
    if (!svg) return
    try {
      const exportResult = await work(buildSvgDrawing(svg, { title, legend }))
      if (exportResult !== undefined) await toast(t('charts.pictureSaved'), { description: exportResult })
    } catch (error) {
      showFailureToast({ title: t('charts.pictureFailed') })(error)
    }
  }
  const save = async (picture: MethodInput<'usage.savePicture'>['picture']): Promise<string | undefined> =>
    (await call('usage.savePicture', { name: title, picture })).path
  const copy = async (drawing: SvgDrawing): Promise<undefined> => {
    await call('usage.copyPicture', { pngBase64: await renderPng(drawing) })
    await toast(t('charts.pictureCopied'))
  }
  const png = async (drawing: SvgDrawing) => save({ kind: 'png', base64: await renderPng(drawing) })
  return (
    <MenuButton
      icon={ImageDown}
      size="sm"
      label={t('charts.savePicture', { chart: title })}
      items={[
        { label: t('charts.savePng'), icon: FileImage, onSelect: () => void exportDrawing(png) },
        {
          label: t('charts.saveSvg'),
          icon: Spline,
          onSelect: () => void exportDrawing(({ text }) => save({ kind: 'svg', text })),
        },
        { label: t('charts.copyPicture'), icon: Copy, onSelect: () => void exportDrawing(copy) },
      ]}
    />
  )
}

interface SvgDrawing {
  readonly text: string
  readonly width: number
  readonly height: number
}

const copiedStyleNames = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-weight',
  'font-family',
  'text-anchor',
]
const pngScale = 2
const margin = 16
const headHeight = 34
const chartFontFamily = '"Inter Variable", system-ui, sans-serif'

const svgNamespace = 'http://www.w3.org/2000/svg'

type Attributes = Readonly<Record<string, string | number>>

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}

/** A chart with its title and legend. Styles are inlined, so that the picture looks the same outside of the page. */
function buildSvgDrawing(
  svg: SVGSVGElement,
  { title, legend }: { readonly title: string; readonly legend: NonNullable<PictureMenuProps['legend']> },
): SvgDrawing {
  const bounds = svg.getBoundingClientRect()
  const [width, height] = [bounds.width + 2 * margin, bounds.height + headHeight + 2 * margin]
  const svgRoot = document.createElementNS(svgNamespace, 'svg')
  const addRect = (attributes: Attributes): void =>
    setAttributes(svgRoot.appendChild(document.createElementNS(svgNamespace, 'rect')), attributes)
  /** Adds a text and returns its length in px. */
  const addText = (text: string, attributes: Attributes): number => {
    const element = svgRoot.appendChild(document.createElementNS(svgNamespace, 'text'))
    setAttributes(element, { y: margin + 12, 'font-family': chartFontFamily, 'font-size': 12, ...attributes })
    element.textContent = text
    return element.getComputedTextLength()
  }
  // Add the picture to the page for a moment, because only there its styles and the lengths of its texts are known.
  svg.after(svgRoot)
  setAttributes(svgRoot, { width, height, viewBox: `0 0 ${width} ${height}` })
  addRect({ width, height, fill: 'var(--color-surface)' })
  const titleAttributes = { x: margin, 'font-size': 13, 'font-weight': 600, fill: 'var(--color-text)' }
  let x = margin + addText(title, titleAttributes) + 20
  for (const { name, colour } of legend) {
    addRect({ x, y: margin + 3, width: 9, height: 9, rx: 2, fill: colour })
    x += addText(name, { x: x + 15, fill: 'var(--color-muted)' }) + 31
  }
  const chart = document.importNode(svg, true)
  svgRoot.append(chart)
  const elements = [...svgRoot.querySelectorAll('*')]
  for (const element of elements) {
    const style = getComputedStyle(element)
    for (const name of copiedStyleNames) element.setAttribute(name, style.getPropertyValue(name))
  }
  for (const element of elements)
    for (const { name } of [...element.attributes])
      if (/^(class|style|role|tabindex|aria-|data-)/.test(name)) element.removeAttribute(name)
  setAttributes(chart, { x: margin, y: margin + headHeight, width: bounds.width, height: bounds.height })
  svgRoot.remove()
  return { text: new XMLSerializer().serializeToString(svgRoot), width, height }
}

/** PNG as base64, at twice the size. */
async function renderPng({ text, width, height }: SvgDrawing): Promise<string> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * pngScale
  canvas.height = height * pngScale
  const context = canvas.getContext('2d')
  if (!context) throw new Error('The canvas has no 2D context.')
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '')
}
