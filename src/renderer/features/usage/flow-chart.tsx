import { Sankey } from 'recharts'

export interface FlowNode {
  readonly name: string
  readonly colour: string
  readonly column: number
}

export interface FlowLink {
  readonly source: number
  readonly target: number
  readonly value: number
}

const nodeWidth = 10
const labelWidth = 150
const maxLabelLength = 22

const shortenName = (name: string): string =>
  name.length > maxLabelLength ? `${name.slice(0, maxLabelLength - 1)}…` : name

export function FlowChart(props: {
  readonly nodes: readonly FlowNode[]
  readonly links: readonly FlowLink[]
  readonly width: number
  readonly height: number
  readonly formatTip: (name: string, value: number) => string
}) {
  const { nodes, links, width, height, formatTip } = props
  const lastColumn = Math.max(...nodes.map(({ column }) => column))
  return (
    <Sankey
      width={width}
      height={height}
      data={{ nodes: [...nodes], links: [...links] }}
      nodeWidth={nodeWidth}
      nodePadding={14}
      sort={false}
      margin={{ top: 8, bottom: 8, left: 4, right: labelWidth }}
      node={({ x, y, height: tall, index, payload }) => {
        const node = nodes[index]
        return (
          <g>
            <title>{formatTip(node?.name ?? '', payload.value)}</title>
            <rect x={x} y={y} width={nodeWidth} height={Math.max(tall, 1)} rx={2} fill={node?.colour} />
            <text
              x={x + nodeWidth + 6}
              y={y + tall / 2 + 4}
              fontSize={12}
              fill="var(--color-text)"
              stroke="var(--color-surface)"
              strokeWidth={node?.column === lastColumn ? 0 : 3}
              paintOrder="stroke"
            >
              {shortenName(node?.name ?? '')}
            </text>
          </g>
        )
      }}
      link={({ sourceX, targetX, sourceY, targetY, sourceControlX, targetControlX, linkWidth, payload }) => (
        <path
          d={`M${sourceX},${sourceY}C${sourceControlX},${sourceY} ${targetControlX},${targetY} ${targetX},${targetY}`}
          fill="none"
          stroke={
            nodes.find(({ name, column }) => name === payload.source.name && column === payload.source.depth)?.colour ??
            'var(--color-series-1)'
          }
          strokeOpacity={0.28}
          strokeWidth={Math.max(linkWidth, 1)}
        >
          <title>{formatTip(`${payload.source.name} → ${payload.target.name}`, payload.value)}</title>
        </path>
      )}
    />
  )
}
