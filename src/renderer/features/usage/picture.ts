/** What a picture of a chart shows besides the chart. */
export interface PictureOf {
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
export async function pictureOf(picture: PictureOf): Promise<string> {
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
