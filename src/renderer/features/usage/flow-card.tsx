import type { UsageFlow } from '@shared/contract'
import { Waypoints } from 'lucide-react'
import { lazy, type RefObject, Suspense, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Skeleton } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'
import { useScrollPosition } from '../../ui/use-scroll-place'
import { useModelColour } from '../connections/account'
import { ChartFigure } from './chart-picture'
import type { FlowLink, FlowNode } from './flow-chart'
import { useShareNames } from './shares'
import { EmptyChartNotice, LoadedChartCard } from './usage-chart'
import type { Usage } from './use-usage'

const FlowChart = lazy(async () => ({ default: (await import('./flow-chart')).FlowChart }))

const levels = ['plan', 'model', 'tool'] as const

/** Names of the plan, model and tool of a flow. "Others" for a part that is undefined. */
function useFlowNames(): (flow: UsageFlow) => readonly string[] {
  const { t } = useTranslation('usage')
  const getName = useShareNames()
  return (flow) =>
    levels.map((level) => {
      const share = flow[level]
      return share === undefined ? t('flows.rest') : getName(level, share)
    })
}

/** Builds the nodes and links of the flow chart. Flows of the same plan, model or tool share a node. */
function buildFlowGraph(
  flows: readonly UsageFlow[],
  toNames: (flow: UsageFlow) => readonly string[],
  getColour: (column: number, flow: UsageFlow, index: number) => string,
): { readonly nodes: readonly FlowNode[]; readonly links: readonly FlowLink[] } {
  const nodes: FlowNode[] = []
  const nodeIndexes = new Map<string, number>()
  const links = new Map<string, FlowLink>()
  for (const flow of flows) {
    const names = toNames(flow)
    const path = levels.map((level, column) => {
      const key = `${column} ${flow[level]?.id ?? '\n'}`
      const existingIndex = nodeIndexes.get(key)
      if (existingIndex !== undefined) return existingIndex
      const position = nodes.filter((node) => node.column === column).length
      nodes.push({ name: names[column] ?? '', column, colour: getColour(column, flow, position) })
      nodeIndexes.set(key, nodes.length - 1)
      return nodes.length - 1
    })
    for (const [index, target] of path.slice(1).entries()) {
      const source = path[index] ?? 0
      const valueBefore = links.get(`${source} ${target}`)?.value ?? 0
      links.set(`${source} ${target}`, { source, target, value: valueBefore + flow.tokens })
    }
  }
  return { nodes, links: [...links.values()] }
}

function Flows({ flows, title }: { readonly flows: readonly UsageFlow[]; readonly title: string }) {
  const { number } = useFormats()
  const { t } = useTranslation('usage')
  const names = useFlowNames()
  const modelColour = useModelColour()
  const containerRef = useRef<HTMLDivElement>(null)
  const { width } = useScrollPosition(containerRef as RefObject<HTMLElement | null>)
  const getColour = (column: number, flow: UsageFlow, index: number): string => {
    const share = flow[levels[column] ?? 'plan']
    if (share === undefined) return 'var(--chart-previous)'
    return column === 1 ? modelColour(share.id) : `var(--series-${(index % 6) + 1})`
  }
  const { nodes, links } = buildFlowGraph(flows, names, getColour)
  const maxNodes = Math.max(...levels.map((_, column) => nodes.filter((node) => node.column === column).length))
  const height = Math.max(180, maxNodes * 40)
  return (
    <div ref={containerRef} className="min-w-0" style={{ height }} role="img" aria-label={title}>
      {width > 0 ? (
        <Suspense fallback={<Skeleton width="100%" height={height} />}>
          <FlowChart
            {...{ nodes, links, width, height }}
            formatTip={(name, value) => `${name}: ${number(value)} ${t('flows.tokens')}`}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

export function FlowCard({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const names = useFlowNames()
  const title = t('flows.title')
  const query = useCall('usage.flows', { filter: usage.filter }, { placeholderData: (previous) => previous })
  const columns: readonly Column<UsageFlow>[] = [
    ...levels.map(
      (level, index): Column<UsageFlow> => ({
        id: level,
        header: t(`shares.splits.${level}`),
        cell: (flow) => names(flow)[index],
      }),
    ),
    { id: 'tokens', header: t('flows.tokens'), align: 'right', cell: ({ tokens }) => number(tokens) },
    { id: 'requests', header: t('flows.requests'), align: 'right', cell: ({ requests }) => number(requests) },
  ]
  return (
    <LoadedChartCard
      {...{ title, query }}
      notice={<EmptyChartNotice>{t('flows.none')}</EmptyChartNotice>}
      isEmpty={(flows) => flows.length === 0}
    >
      {(flows) => (
        <ChartFigure
          title={title}
          icon={Waypoints}
          table={
            <Table
              caption={title}
              columns={columns}
              rows={flows}
              rowKey={(flow) => levels.map((level) => flow[level]?.id ?? '\n').join(' ')}
            />
          }
        >
          <Flows flows={flows} title={title} />
        </ChartFigure>
      )}
    </LoadedChartCard>
  )
}
