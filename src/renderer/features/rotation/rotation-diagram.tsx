import type { RotatedTool, RotationView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CallDiagram, type DiagramCaller } from '../../ui/call-diagram'
import { Section } from '../../ui/page'
import { setupKey, useSiteWords } from '../tools'

type KeyId = 'old' | 'new'

const isDone = ({ steps, undoSteps = [] }: RotationView, id: string): boolean =>
  [...steps, ...undoSteps].some((step) => step.id === id && step.state === 'done')

/** Which key a tool uses now; while it is undone, those that were moved are on their way back. */
function keyOf({ state }: RotatedTool, { undoSteps }: RotationView): KeyId {
  const isMoved = state === 'repointed' || state === 'verified'
  return isMoved === (undoSteps === undefined) ? 'new' : 'old'
}

/** Who uses which of the two keys at this moment. */
export function RotationDiagram({ rotation }: { readonly rotation: RotationView }) {
  const { t } = useTranslation(['rotation', 'keys'])
  const siteWords = useSiteWords()
  const { tools, handover = [], oldKeyName, newKeyName } = rotation
  if (tools.length + handover.length === 0) return null
  const names = { old: oldKeyName, new: newKeyName }
  const active = t('keys:statuses.ACTIVE')
  const isOldDisabled = isDone(rotation, 'disable') && !isDone(rotation, 'enable')
  const states = {
    old: isDone(rotation, 'delete') ? t('diagram.deleted') : isOldDisabled ? t('keys:statuses.DISABLED') : active,
    new: isDone(rotation, 'remove') ? t('diagram.deleted') : isDone(rotation, 'add') ? active : t('diagram.notCreated'),
  }
  const callers = [
    ...tools.map((tool): DiagramCaller & { readonly key: KeyId } => {
      const key = keyOf(tool, rotation)
      const tone = tool.state === 'failed' ? 'broken' : tool.state === 'verified' ? 'used' : 'idle'
      const hint = tool.site.kind === 'user' ? undefined : siteWords(tool.site)
      return { id: setupKey(tool.toolId, tool.site), label: tool.toolName, hint, key, calls: [{ end: key, tone }] }
    }),
    ...handover.map(({ holder, state }): DiagramCaller & { readonly key: KeyId } => {
      const key = state === 'confirmed' && !rotation.undoSteps ? 'new' : 'old'
      const tone = key === 'new' ? 'used' : isOldDisabled ? 'broken' : 'idle'
      return {
        id: `holder ${holder.name}`,
        label: holder.name,
        hint: t('diagram.holder'),
        key,
        calls: [{ end: key, tone }],
      }
    }),
  ]
  const ends = (['old', 'new'] as const).map((id) => ({ id, label: names[id], hint: states[id] }))
  const sentences = [
    ...callers.map(({ label, key }) => t('diagram.uses', { who: label, key: names[key] })),
    ...ends.map(({ label, hint }) => `${label}: ${hint}.`),
  ]
  return (
    <Section title={t('diagram.title')}>
      <CallDiagram label={sentences.join(' ')} callers={callers} ends={ends} />
    </Section>
  )
}
