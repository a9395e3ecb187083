import type { HandoutResult, Handover, RotationPlan, RotationView } from '@shared/contract'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { formatList, useFormats } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { enterCodePath, handoutPath } from '../../../paths'
import { useNow } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { ConfirmButton } from '../../../ui/dialog'
import { Section } from '../../../ui/page'
import { InlineDetails, Row, RowIcon, Rows } from '../../../ui/rows'
import { Hint } from '../../../ui/text'
import { findRegisterEntry, holderIcon } from '../../connections/account'
import { addHandouts, BulkResults, listPlanTools } from '../handouts'
import { useToolNames } from './rotated-tools'
import { useCacheRotation } from './rotations'

const formatComputer = ({ computer, person }: { readonly computer: string; readonly person: string }): string =>
  `${computer} (${person})`

export function OtherUsers({ holders, computers }: Pick<RotationPlan, 'holders' | 'computers'>) {
  const { t } = useTranslation('rotation')
  const { locale } = useFormats()
  const names = (list: readonly string[]): string => formatList(list, locale)
  return (
    <>
      {holders.length > 0 ? (
        <Callout tone="warning" title={t('holders.title', { count: holders.length, names: names(holders) })}>
          {t('holders.text')}
        </Callout>
      ) : null}
      {computers === undefined ? (
        <Hint>{t('computers.unknown')}</Hint>
      ) : computers.length > 0 ? (
        <Callout
          tone="info"
          title={t('computers.title', { count: computers.length, names: names(computers.map(formatComputer)) })}
        >
          {t('computers.text', { count: computers.length })}
        </Callout>
      ) : null}
    </>
  )
}

const tones: Record<Handover['state'], Tone> = { open: 'warning', handedOut: 'accent', confirmed: 'success' }

export function HandoverSection({ rotations }: { readonly rotations: readonly RotationView[] }) {
  const { t } = useTranslation('rotation')
  const dueHandovers = rotations.flatMap((rotation) => {
    const { newKeyId: keyId, handover = [], undoSteps } = rotation
    return keyId === undefined || undoSteps ? [] : handover.map((recipient) => ({ ...recipient, rotation, keyId }))
  })
  const openHandovers = dueHandovers.filter(({ state }) => state === 'open')
  const [results, setResults] = useState<readonly HandoutResult[]>([])
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: entries = [] } = useCall('register.list', {})
  const createHandouts = useAction('handouts.createForKeys', {
    invalidates: ['register', 'rotation', 'audit', 'handouts'],
    onSuccess: (newResults) => {
      addHandouts(newResults)
      setResults(newResults.filter(({ state }) => state !== 'cancelled'))
    },
  })
  const createKeyFile = (): void =>
    createHandouts.mutate({
      keys: openHandovers.map(({ holder, keyId, rotation: { planId } }) => {
        const { purpose } = findRegisterEntry(entries, { planId, keyId }) ?? {}
        return { planId, keyId, holder, ...(purpose && { purpose }), toolIds: [...listPlanTools(tools, planId)] }
      }),
      lock: { kind: 'passphrase' },
    })
  if (dueHandovers.length === 0) return null
  return (
    <>
      <Section
        title={t('handover.title')}
        description={t('handover.hint')}
        actions={[
          openHandovers.length > 0 && {
            label: t('handover.make', { count: openHandovers.length }),
            variant: 'primary',
            icon: KeyRound,
            busy: createHandouts.isPending,
            onClick: createKeyFile,
          },
        ]}
      >
        <Rows label={t('handover.title')}>
          {dueHandovers.map(({ holder, state, keyId, rotation }) => {
            const { id, planId, planName, newKeyName } = rotation
            return (
              <Row
                key={`${id} ${holder.name}`}
                leading={<RowIcon icon={holderIcon(holder)} />}
                title={holder.name}
                description={<InlineDetails items={[newKeyName, planName]} />}
                trailing={[
                  <StatusDot key="statusDot" tone={tones[state]} label={t(`handover.states.${state}`)} />,
                  state === 'handedOut'
                    ? {
                        label: t('handover.enterCode'),
                        to: enterCodePath,
                        'aria-label': t('handover.enterCodeOf', { name: holder.name }),
                      }
                    : state === 'open' && {
                        label: t('handover.handOut'),
                        to: handoutPath({ planId, keyId }),
                        'aria-label': t('handover.handOutTo', { key: newKeyName, name: holder.name }),
                      },
                ]}
              />
            )
          })}
        </Rows>
      </Section>
      <ExplainedFailure failure={createHandouts.error?.failure} handlers={{ tryAgain: createKeyFile }} />
      <BulkResults results={results} />
    </>
  )
}

/** While both keys work: the deadline, who still uses the old key, and a button to disable it early. */
export function OverlapOutcome({ rotation }: { readonly rotation: RotationView }) {
  const { t } = useTranslation('rotation')
  const { locale, dateTime, relative } = useFormats()
  const currentTime = useNow()
  const formatToolNames = useToolNames()
  const storeRotation = useCacheRotation()
  const endHandoverAction = useAction('rotation.endHandover', {
    invalidates: ['rotation', 'plans', 'tools', 'account', 'register', 'audit'],
    onSuccess: storeRotation,
  })
  const { id, oldKeyName: key, newKeyName: newKey, handover = [], computers = [], disableAt, tools } = rotation
  const { data: uses = [] } = useCall('rotation.oldKeyUses', { id }, { refetchInterval: 30_000 })
  const unconfirmedNames = handover.filter(({ state }) => state !== 'confirmed').map(({ holder }) => holder.name)
  const pendingHolders = [...unconfirmedNames, ...computers.map(formatComputer)]
  const names = formatList(pendingHolders, locale)
  const failedComputers = formatList(computers.filter(({ failedAt }) => failedAt).map(formatComputer), locale)
  const disableTime = disableAt === undefined ? '' : dateTime(disableAt)
  const restartTools = tools.filter(({ needsRestart }) => needsRestart)
  const useTexts = uses.map(({ toolId, at }) => {
    const name = tools.find((tool) => tool.toolId === toolId)?.toolName ?? toolId
    return t('overlap.use', { tool: name, when: relative(at, currentTime).short })
  })
  const title = computers.length > 0 ? 'computers.waiting' : 'overlap.title'
  const disableCondition = pendingHolders.length === 0 ? 'time' : disableAt === undefined ? 'holders' : 'holdersUntil'
  return (
    <>
      <Callout
        tone="info"
        title={t(unconfirmedNames.length > 0 ? 'handover.waiting' : title, { key })}
        actions={
          <ConfirmButton
            size="sm"
            label={t('handover.end')}
            danger
            title={t('handover.endTitle', { key })}
            description={t(pendingHolders.length > 0 ? 'handover.endText' : 'overlap.endText', { key, names })}
            confirmLabel={t('handover.endConfirm')}
            busy={endHandoverAction.isPending}
            onConfirm={(close) => endHandoverAction.mutate({ id }, { onSuccess: close })}
          >
            <ExplainedFailure failure={endHandoverAction.error?.failure} />
          </ConfirmButton>
        }
      >
        <p>{t(`overlap.until.${disableCondition}`, { key, newKey, names, when: disableTime })}</p>
        {useTexts.length > 0 ? <p>{t('overlap.uses', { uses: formatList(useTexts, locale) })}</p> : null}
        {restartTools.length > 0 ? <p>{t('overlap.restart', { names: formatToolNames(restartTools) })}</p> : null}
        {failedComputers === '' ? null : <p>{t('computers.failed', { names: failedComputers })}</p>}
      </Callout>
      {rotation.computers === undefined ? <Hint>{t('computers.unknown')}</Hint> : null}
    </>
  )
}
