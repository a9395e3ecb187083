import type { RelayTool, RelayView, RelayWay } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CallDiagram, type DiagramCaller, type DiagramEnd } from '../../ui/call-diagram'
import { Section } from '../../ui/page'
import { troubleOf } from './relay-tool-cells'

type Upstream = RelayWay & { readonly planName?: string | undefined; readonly keyName?: string | undefined }

const upstreamId = ({ planId, keyId = '' }: RelayWay): string => `${planId} ${keyId}`

/** What a tool's requests go to: first what is in use, then what is tried in its place. */
const upstreamsOf = ({ way, planName, keyName, failover }: RelayTool): readonly Upstream[] =>
  way ? [{ ...way, planName, keyName }, ...failover] : []

/** Which tool calls the relay, and with which plan and key it goes on; the table beneath has the same. */
export function RelayDiagram({ view }: { readonly view: RelayView }) {
  const { t } = useTranslation('relay')
  const tools = view.tools.filter(({ isPointedHere }) => isPointedHere)
  if (tools.length === 0) return null
  const isOn = view.state === 'on'
  const planWords = ({ planName }: Upstream): string => planName ?? t('tools.planGone')
  const keyWords = ({ keyName }: Upstream): string => keyName ?? t('tools.keyGone')
  const callers = tools.map((tool): DiagramCaller => {
    const tone = !isOn || troubleOf(tool) ? 'broken' : tool.requests > 0 ? 'used' : 'idle'
    const calls = upstreamsOf(tool).map((way, at): DiagramCaller['calls'][number] => ({
      end: upstreamId(way),
      tone: at === 0 ? tone : 'idle',
      isDashed: at > 0,
    }))
    return { id: tool.toolId, label: tool.toolName, hint: isOn ? undefined : t('tools.waits'), calls }
  })
  const ends = new Map<string, DiagramEnd>()
  const first = new Set(tools.flatMap((tool) => upstreamsOf(tool).slice(0, 1).map(upstreamId)))
  for (const way of tools.flatMap(upstreamsOf)) {
    const id = upstreamId(way)
    const hint = [keyWords(way), ...(first.has(id) ? [] : [t('way.failover')])].join(' · ')
    ends.set(id, { id, label: planWords(way), hint })
  }
  const sentences = tools.flatMap((tool) =>
    upstreamsOf(tool).map((way, at) =>
      t(at === 0 ? 'diagram.calls' : 'diagram.failsOver', {
        tool: tool.toolName,
        plan: planWords(way),
        key: keyWords(way),
      }),
    ),
  )
  return (
    <Section title={t('diagram.title')}>
      <CallDiagram
        label={[`${t('title')}: ${t(`states.${view.state}`)}.`, ...sentences].join(' ')}
        callers={callers}
        between={{ id: 'relay', label: t('title'), hint: isOn ? `127.0.0.1:${view.port}` : t(`states.${view.state}`) }}
        ends={[...ends.values()]}
      />
    </Section>
  )
}
