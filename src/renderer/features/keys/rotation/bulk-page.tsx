import type { RotationView } from '@shared/contract'
import { useQueries } from '@tanstack/react-query'
import i18next from 'i18next'
import { ListChecks, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { ExplainedFailure, explainFailure } from '../../../failures'
import { formatList } from '../../../format'
import { call, callKey, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { type LocalKeyRef, readKeys, registerPath, rotationPath } from '../../../paths'
import { Badge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { EmptyState, FieldCard, Page, PageHeader, RowSection } from '../../../ui/page'
import { Row, RowIcon } from '../../../ui/rows'
import { ProgressBar } from '../../../ui/skeleton'
import {
  entryKey,
  findRegisterEntry,
  listHolders,
  type RotatableKey,
  rotatableKeys,
  useReplacements,
} from '../../connections/account'
import { ApplyBar, setupKey, userSite } from '../../tools'
import { HandoverSection, isKeyDeleted, OtherUsers, RestartCallout } from './key-users'
import { getDisableChoice, KeyEndFields, useKeyEnd } from './rotation-fields'
import {
  findFailure,
  findProgress,
  getStepTitle,
  isHandoverOpen,
  needsUserAction,
  stateTones,
  useRotations,
} from './rotations'

const t = i18next.getFixedT(null, ['rotation', 'register'])

/** Maximum number of keys per bulk rotation (contract). */
const maxSelected = 100

function useBulkRotation(keys: readonly RotatableKey[]) {
  const end = useKeyEnd()
  // Ids of rotations that existed before this page started any. The report omits them.
  const [earlierIds, setEarlierIds] = useState<ReadonlySet<string>>()
  const startRotations = useAction('rotation.startMany', {
    invalidates: ['rotation', 'plans', 'tools', 'profiles', 'account', 'register', 'audit'],
  })
  const { data: rotations = [] } = useRotations({ isExpecting: startRotations.isPending })
  const { graceMs, disableWhen } = end
  const canStart = graceMs !== undefined && disableWhen !== undefined && !startRotations.isPending
  const rotateKeys = (): void => {
    if (!canStart) return
    setEarlierIds(new Set(rotations.map(({ id }) => id)))
    startRotations.mutate({ keys: keys.map(({ planId, keyId }) => ({ planId, keyId })), graceMs, ...disableWhen })
  }
  const newRotations = rotations.filter(({ id }) => !earlierIds?.has(id))
  const rows = keys.map((key) => {
    const isRotationOfKey = ({ planId, oldKeyId }: RotationView): boolean =>
      planId === key.planId && oldKeyId === key.keyId
    const listed = newRotations.find(isRotationOfKey)
    const rotation = listed ?? (startRotations.data ?? []).find(isRotationOfKey)
    // A rotation that failed to start is not listed and has no page.
    return { of: key, rotation, isListed: listed !== undefined }
  })
  const isOver = startRotations.isSuccess && rows.every(({ rotation }) => rotation?.state !== 'running')
  const isBegun = earlierIds !== undefined && !startRotations.isError
  return { end, start: canStart ? rotateKeys : undefined, starting: startRotations, isBegun, rows, isOver }
}

const usePreviews = (keys: readonly LocalKeyRef[], enabled = true) =>
  useQueries({
    queries: keys.map(({ planId, keyId }) => ({
      queryKey: callKey('rotation.preview', { planId, keyId }),
      queryFn: () => call('rotation.preview', { planId, keyId }),
      enabled,
    })),
    combine: (results) => results.map(({ data }) => data),
  })

interface BulkRotationProps {
  readonly keys: readonly RotatableKey[]
  readonly state: ReturnType<typeof useBulkRotation>
}

function BulkRotationForm({ keys, state }: BulkRotationProps) {
  const { end, start, starting } = state
  const { data: entries = [] } = useCall('register.list', {})
  const rows = keys.map((key) => ({ key, entry: findRegisterEntry(entries, key) }))
  const holders = new Set(rows.flatMap(({ entry }) => listHolders(entry)))
  const { data: allTools = [] } = useCall('tools.list', {})
  const usedNames = new Set(rows.flatMap(({ entry }) => entry?.tools ?? []))
  const tools = allTools
    .filter(({ name }) => usedNames.has(name))
    .map(({ name, needsRestart }) => ({ toolName: name, site: userSite, needsRestart }))
  const planIds = keys.map(({ planId }) => planId)
  const plans = usePreviews(keys.filter(({ planId }, index) => planIds.indexOf(planId) === index))
  const previews = usePreviews(keys, plans[0]?.computers !== undefined)
  const allComputers = previews.flatMap((preview) => preview?.computers ?? [])
  const computers = previews.every((preview) => preview?.computers)
    ? [...new Map(allComputers.map((computer) => [computer.machineUid, computer])).values()]
    : undefined
  const users = {
    hasOthers: holders.size + (computers ?? []).length > 0,
    keepsKeyInMemory: tools.some(({ needsRestart }) => needsRestart),
  }
  // Whether each old key is disabled before the next rotation starts.
  const isAtOnce = end.graceMs === 0 && getDisableChoice(end, users) === 'now'
  const count = keys.length
  return (
    <>
      <OtherUsers holders={[...holders]} computers={computers} />
      {plans.map((preview) => {
        if (!preview) return null
        const { planId, planName, slots } = preview
        const free = Math.max(0, slots.max - slots.used)
        const counts = { max: slots.max, free, count: planIds.filter((id) => id === planId).length }
        return free >= counts.count || (free > 0 && isAtOnce) ? null : (
          <Callout key={planId} tone="warning" title={t('many.slots', { plan: planName, ...counts })}>
            {t('many.slotsText')}
          </Callout>
        )
      })}
      <RestartCallout when="before" tools={tools} />
      <FieldCard>
        <KeyEndFields end={end} users={users} />
      </FieldCard>
      <RowSection title={t('many.keys')}>
        {rows.map(({ key, entry }) => (
          <Row
            key={entryKey(key)}
            leading={<RowIcon icon={RotateCw} />}
            title={key.key.name}
            description={[
              key.plan.name,
              entry?.holder && t('many.heldBy', { holder: entry.holder.name }),
              entry && entry.tools.length > 0 && formatList(entry.tools),
            ]}
          />
        ))}
      </RowSection>
      <ExplainedFailure failure={starting.error?.failure} handlers={{ tryAgain: start }} />
      <ApplyBar label={t('many.start', { count })} busy={starting.isPending} apply={start}>
        {t('many.outcome', { count })}
      </ApplyBar>
    </>
  )
}

function Keys({ keys }: Pick<BulkRotationProps, 'keys'>) {
  const state = useBulkRotation(keys)
  return state.isBegun ? <BulkReport {...state} /> : <BulkRotationForm keys={keys} state={state} />
}

/** Selected keys that cannot be rotated, because their secret is not here or they were replaced. */
function SkippedKeys({ keys }: { readonly keys: readonly RotatableKey[] }) {
  const [query] = useSearchParams()
  const { data: entries = [] } = useCall('register.list', {})
  const findReplacement = useReplacements()
  const skippedKeys = readKeys(query).filter((skipped) => !keys.some((key) => entryKey(key) === entryKey(skipped)))
  const listKeys = (areReplaced: boolean) => {
    const names = skippedKeys.flatMap((skipped) => {
      const entry = findRegisterEntry(entries, skipped)
      if (!entry || (findReplacement(skipped.keyId) !== undefined) !== areReplaced) return []
      return [t('register:keyOfPlan', { key: entry.keyName, plan: entry.planName })]
    })
    return { count: names.length, names: formatList(names) }
  }
  const [replaced, notHere] = [listKeys(true), listKeys(false)]
  return (
    <>
      {replaced.count > 0 ? <Callout tone="info" title={t('many.leftOutReplaced', replaced)} /> : null}
      {notHere.count > 0 ? (
        <Callout tone="warning" title={t('many.leftOut', notHere)}>
          {t('many.leftOutText')}
        </Callout>
      ) : null}
    </>
  )
}

export function BulkRotationPage() {
  const [query] = useSearchParams()
  const plans = useCall('plans.list', {})
  // Selected keys when the rotation started. A rotated key is removed from its plan but stays in the report.
  const [keptKeys, setKeptKeys] = useState<readonly RotatableKey[]>()
  const keysOfPlans = rotatableKeys(plans.data ?? [])
  const chosenKeys = readKeys(query)
    .flatMap((requestedKey) => keysOfPlans.find((key) => entryKey(key) === entryKey(requestedKey)) ?? [])
    .slice(0, maxSelected)
  const keys = keptKeys && keptKeys.length >= chosenKeys.length ? keptKeys : chosenKeys
  if (keys !== keptKeys && keys.length > 0) setKeptKeys(keys)
  return (
    <Page>
      <PageHeader
        title={t('rotation:titleMany')}
        state={t('rotation:many.state')}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
      />
      <Loaded query={plans} rows={4}>
        {() => (
          <>
            <SkippedKeys keys={keys} />
            {keys.length > 0 ? (
              <Keys keys={keys} />
            ) : (
              <EmptyState
                icon={ListChecks}
                title={t('rotation:many.none')}
                next={{ to: registerPath, label: t('rotation:many.toRegister') }}
              >
                {t('rotation:many.noneText')}
              </EmptyState>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

type BulkReportProps = Pick<BulkRotationProps['state'], 'rows' | 'isOver'>

function ReportRow({ row, isOver }: { readonly row: BulkReportProps['rows'][number]; readonly isOver: boolean }) {
  const { of, rotation, isListed } = row
  const failure = rotation && findFailure(rotation)
  const { at, count, step } = rotation ? findProgress(rotation) : { at: 0, count: 0, step: undefined }
  return (
    <Row
      leading={<RowIcon icon={RotateCw} />}
      title={of.key.name}
      {...(rotation && isListed ? { to: rotationPath(rotation.id) } : {})}
      description={[
        of.plan.name,
        rotation?.state === 'running' && step && t('view.progress', { at, count, step: getStepTitle(step) }),
        !rotation && t(isOver ? 'many.notRotated' : 'many.turn'),
      ]}
      problem={
        rotation && needsUserAction(rotation) && failure && explainFailure(failure, { plan: of.plan.name }).title
      }
      trailing={[
        rotation && (
          <Badge key="badge" tone={stateTones[rotation.state]}>
            {t(isHandoverOpen(rotation) ? 'handover.state' : `states.${rotation.state}`)}
          </Badge>
        ),
        rotation &&
          needsUserAction(rotation) &&
          isListed && {
            label: t('many.look'),
            to: rotationPath(rotation.id),
            'aria-label': t('many.lookNamed', { key: of.key.name }),
          },
      ]}
    />
  )
}

function BulkReport({ rows, isOver }: BulkReportProps) {
  const count = rows.length
  // All local tools use the new key. The old key may still be enabled, for its grace period or for other holders.
  const completedCount = rows.filter(({ rotation }) => ['waiting', 'done'].includes(rotation?.state ?? '')).length
  const switchedTools = rows.flatMap(({ rotation }) => (rotation && isKeyDeleted(rotation) ? rotation.tools : []))
  const toolsBySetup = new Map(switchedTools.map((tool) => [setupKey(tool.toolId, tool.site), tool]))
  return (
    <>
      {isOver ? (
        <>
          <Callout
            tone={completedCount === count ? 'success' : 'warning'}
            title={t(completedCount === count ? 'many.finished' : 'many.finishedSome', { done: completedCount, count })}
            actions={[{ label: t('many.again'), to: registerPath }]}
          >
            {rows.some(({ rotation }) => rotation && isHandoverOpen(rotation)) ? t('many.held') : null}
          </Callout>
          <RestartCallout when="after" tools={[...toolsBySetup.values()]} />
          <HandoverSection
            rotations={rows.flatMap(({ rotation, isListed }) => (rotation && isListed ? [rotation] : []))}
          />
        </>
      ) : (
        <div className="grid grid-cols-[1fr_auto] items-center gap-3 text-muted text-sm" role="status">
          <ProgressBar value={completedCount / count} label={t('many.report')} />
          <span className="tabular-nums">{t('many.progress', { ended: completedCount, count })}</span>
        </div>
      )}
      <RowSection title={t('many.report')}>
        {rows.map((row) => (
          <ReportRow key={entryKey(row.of)} row={row} isOver={isOver} />
        ))}
      </RowSection>
    </>
  )
}
