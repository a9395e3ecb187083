import type { RotationPlan } from '@shared/contract'
import i18next from 'i18next'
import { KeyRound, ListChecks, RotateCw, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { formatList, toSearchText } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { type LocalKeyRef, registerPath, rotateKeyPath, rotationPath, rotationsPath } from '../../../paths'
import { PlatformTime } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { ConfirmDialog } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { EmptyState, FieldSection, Page, PageHeader, RowSection, Section, Toolbar } from '../../../ui/page'
import { Row, RowIcon } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { Hint, StepNumber } from '../../../ui/text'
import { closeWithToast } from '../../../ui/toast'
import { VirtualRows } from '../../../ui/virtual-table'
import {
  entryKey,
  isCurrentKey,
  maxKeyNameLength,
  type RotatableKey,
  readKeyName,
  rotatableKeys,
  useKeyHint,
  useToolName,
} from '../../connections/account'
import { ApplyBar } from '../../tools'
import { joinToolNames, OtherUsers, RestartHint } from './key-users'
import {
  createDefaultSchedule,
  formatGrace,
  getDisableChoice,
  KeyEndFields,
  parseSchedule,
  ScheduleField,
  type ScheduleInput,
  ScheduleList,
  useKeyEnd,
} from './rotation-fields'
import { isEnded, isKeyEndingStep, stepIds, useCacheRotation, useRotations } from './rotations'

const t = i18next.getFixedT(null, ['rotation', 'register', 'keys'])

function useStartRotation(preview: RotationPlan) {
  const navigate = useNavigate()
  const storeRotation = useCacheRotation()
  const [name, setName] = useState<string>()
  const end = useKeyEnd()
  const { graceMs, disableWhen } = end
  const [schedule, setSchedule] = useState(createDefaultSchedule)
  const startRotation = useAction('rotation.start', {
    invalidates: ['rotation'],
    onSuccess: (rotation) => {
      storeRotation(rotation)
      void navigate(rotationPath(rotation.id), { replace: true })
    },
  })
  const saveSchedule = useAction('rotation.schedule', {
    invalidates: ['rotation'],
    onSuccess: () => void navigate(rotationsPath),
  })
  const { planId, keyId, slots } = preview
  const newKeyName = readKeyName(name ?? preview.newKeyName)
  const isScheduled = schedule.choice !== 'now'
  const isKeyLimitReached = !isScheduled && slots.used >= slots.max
  const isPending = startRotation.isPending || saveSchedule.isPending
  const start = parseSchedule(schedule)
  const canStart =
    !isKeyLimitReached && newKeyName !== undefined && graceMs !== undefined && disableWhen && start && !isPending
  const beginRotation = (): void => {
    if (!canStart) return
    const { at, ...repeat } = start
    const { disableBy, ...disableTime } = disableWhen
    const options = { planId, keyId, graceMs, ...disableTime }
    if (at === undefined) startRotation.mutate({ ...options, newKeyName, ...(disableBy && { disableBy }) })
    else saveSchedule.mutate({ ...options, at, ...repeat })
  }
  return {
    name: name ?? preview.newKeyName,
    setName,
    end,
    schedule,
    // A scheduled rotation has no fixed day on which the old key is disabled.
    setSchedule: (next: ScheduleInput) => {
      setSchedule(next)
      if (next.choice !== 'now' && end.when.chosen === 'day') end.setWhen({ ...end.when, chosen: undefined })
    },
    isScheduled,
    newKeyName,
    isFull: isKeyLimitReached,
    begin: canStart ? beginRotation : undefined,
    starting: { isPending, error: startRotation.error ?? saveSchedule.error },
  }
}

function PlannedRotation({ preview }: PreviewProps) {
  const state = useStartRotation(preview)
  const count = state.name.trim().length
  const { graceMs = 0 } = state.end
  const time = formatGrace(graceMs)
  const { unknownTools, slots, keyName, tools, profiles } = preview
  const switched = [
    ...(tools.length > 0 ? [t('plan.tools', { names: joinToolNames(tools) })] : []),
    ...(profiles.length > 0 ? [t('plan.profiles', { names: formatList(profiles) })] : []),
  ]
  const switchLines = switched.length === 0 ? [t('plan.toolsNone')] : switched
  const paths = unknownTools.map(({ recordPath }) => recordPath).join(', ')
  const hasOthers = preview.holders.length + (preview.computers ?? []).length > 0
  const users = { hasOthers, keepsKeyInMemory: preview.tools.some(({ needsRestart }) => needsRestart) }
  const disable = getDisableChoice(state.end, users)
  const names = { newKey: state.newKeyName ?? preview.newKeyName, key: keyName }
  const values = { ...names, next: Math.min(slots.used + 1, slots.max), max: slots.max, time }
  const getStepHint = (id: (typeof stepIds)[number]): string => {
    if (id === 'grace' && graceMs === 0) return t('noWaiting')
    return id === 'disable' && disable !== 'now'
      ? t(`steps.disable.plans.${disable}`, values)
      : t(`steps.${id}.plan`, values)
  }
  return (
    <>
      <ScheduleList of={preview} />
      {state.isFull ? <FreeSlotsNotice preview={preview} /> : null}
      <OtherUsers holders={preview.holders} computers={preview.computers} />
      {unknownTools.length === 0 ? null : (
        <Callout
          tone="warning"
          title={t('plan.unknown', { names: joinToolNames(unknownTools) })}
          details={<code className="wrap-anywhere">{paths}</code>}
          detailsLabel={t('plan.unknownRecord')}
        >
          {t('plan.unknownText')}
        </Callout>
      )}
      <Section title={t('plan.steps')} description={t('plan.stepsHint')}>
        <ol className="divide-y rounded-lg border bg-surface" aria-label={t('plan.steps')}>
          {stepIds.map((id, index) => (
            <li
              key={id}
              className={joinClassNames(
                'flex items-start gap-3 px-4 py-2.5',
                'min-[900px]:grid min-[900px]:grid-cols-[22px_236px_minmax(0,1fr)] min-[900px]:py-1.75',
              )}
            >
              <StepNumber>{index + 1}</StepNumber>
              <p className="font-strong leading-5.5">{t(`steps.${id}.title`)}</p>
              <div>
                <Hint className="pt-px leading-5">{getStepHint(id)}</Hint>
                {(id === 'repoint' ? switchLines : []).map((line) => (
                  <p key={line} className="mt-0.5 font-medium wrap-anywhere">
                    {line}
                  </p>
                ))}
                {isKeyEndingStep(id) ? <RestartHint tools={tools} /> : null}
              </div>
            </li>
          ))}
        </ol>
      </Section>
      <FieldSection title={t('plan.options')}>
        <ScheduleField schedule={state.schedule} onChange={state.setSchedule} />
        <KeyEndFields end={state.end} users={users} isScheduled={state.isScheduled} />
        {state.isScheduled ? null : (
          <TextField
            label={t('plan.name')}
            hint={t('plan.nameHint')}
            error={count > maxKeyNameLength ? t('plan.nameTooLong', { count }) : undefined}
            value={state.name}
            onChange={state.setName}
          />
        )}
      </FieldSection>
      <ExplainedFailure failure={state.starting.error?.failure} handlers={{ tryAgain: state.begin }} />
      <ApplyBar
        label={t(state.isScheduled ? 'schedule.save' : 'plan.start')}
        busy={state.starting.isPending}
        apply={state.begin}
        reason={state.isFull ? t('plan.noSlot') : undefined}
      >
        {t('plan.outcome', {
          plan: preview.planName,
          key: keyName,
          when: graceMs === 0 ? t('plan.outcomeNow') : t('plan.outcomeLater', { time }),
        })}
      </ApplyBar>
    </>
  )
}

function SingleKeyRotation({ of }: { readonly of: LocalKeyRef }) {
  const { planId, keyId } = of
  const plans = useCall('plans.list', {})
  const rotations = useRotations()
  const runningRotation = rotations.data
    ?.filter((rotation) => rotation.planId === planId && !isEnded(rotation))
    .find(({ oldKeyId, newKeyId }) => [oldKeyId, newKeyId].includes(keyId))
  const preview = useCall('rotation.preview', { planId, keyId }, { staleTime: 0, enabled: !runningRotation })
  const name = preview.data?.keyName ?? plans.data?.flatMap(({ keys }) => keys).find(({ id }) => id === keyId)?.name
  return (
    <>
      <PageHeader
        title={name === undefined ? t('rotation:title') : t('rotation:titleOf', { key: name })}
        state={preview.data ? t('rotation:plan.state') : undefined}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
      />
      {runningRotation ? (
        <Callout
          tone="info"
          title={t('rotation:plan.underWay')}
          actions={[{ label: t('rotation:plan.look'), variant: 'primary', to: rotationPath(runningRotation.id) }]}
        >
          {t('rotation:plan.underWayText')}
        </Callout>
      ) : (
        <Loaded query={preview} rows={6}>
          {(loadedPreview) => <PlannedRotation preview={loadedPreview} />}
        </Loaded>
      )}
    </>
  )
}

export function RotatePage() {
  const [query] = useSearchParams()
  const [planId, keyId] = [query.get('plan'), query.get('key')]
  return (
    <Page>
      {planId === null || keyId === null ? (
        <ChooseKey />
      ) : (
        <SingleKeyRotation key={`${planId} ${keyId}`} of={{ planId, keyId }} />
      )}
    </Page>
  )
}

interface PreviewProps {
  readonly preview: RotationPlan
}

/** The plan has no free place. Lists keys the user may delete. Nothing is deleted automatically. */
function FreeSlotsNotice({ preview }: PreviewProps) {
  const { data: plans = [] } = useCall('plans.list', {})
  const [keyToFree, setKeyToFree] = useState<RotationPlan['freeable'][number]>()
  const { slots, freeable, planName, planId } = preview
  const origin = plans.find(({ id }) => id === planId)?.origin
  const key = keyToFree?.name ?? ''
  const close = (): void => setKeyToFree(undefined)
  const deleteKeyAction = useAction('account.deleteKey', {
    invalidates: ['account', 'plans', 'register', 'rotation'],
    onSuccess: () => closeWithToast(close, t('rotation:slots.deleted', { key })),
  })
  return (
    <>
      <Callout
        tone="warning"
        title={t('rotation:slots.title', { max: slots.max, plan: planName })}
        actions={[{ label: t('rotation:slots.toPlan'), to: `/plans/${encodeURIComponent(planId)}?tab=keys` }]}
      >
        {t(freeable.length > 0 ? 'rotation:slots.text' : 'rotation:slots.none')}
      </Callout>
      {freeable.length > 0 ? (
        <RowSection title={t('rotation:slots.list')}>
          {freeable.map((freeableKey) => (
            <Row
              key={freeableKey.keyId}
              leading={<RowIcon icon={KeyRound} />}
              title={freeableKey.name}
              badge={freeableKey.status === 'DISABLED' ? <Badge>{t('keys:statuses.DISABLED')}</Badge> : null}
              description={
                <>
                  {t('rotation:slots.made')} <PlatformTime at={freeableKey.createdAt} />
                </>
              }
              trailing={[
                {
                  label: t('rotation:slots.delete'),
                  'aria-label': t('rotation:slots.deleteNamed', { key: freeableKey.name }),
                  onClick: () => setKeyToFree(freeableKey),
                },
              ]}
            />
          ))}
        </RowSection>
      ) : null}
      {keyToFree ? (
        <ConfirmDialog
          danger
          onClose={close}
          title={t('rotation:slots.question', { key })}
          description={t('rotation:slots.questionText')}
          confirmLabel={t('rotation:slots.confirm')}
          typeToConfirm={key}
          mutation={deleteKeyAction}
          onConfirm={() => origin && deleteKeyAction.mutate({ ...origin, keyId: keyToFree.keyId })}
        />
      ) : null}
    </>
  )
}

const searchMinKeys = 6

const toId = ({ of }: { readonly of: RotatableKey }): string => entryKey(of)
const getHeight = (): number => 57

function RotatableKeys({ keys }: { readonly keys: readonly RotatableKey[] }) {
  const [text, setText] = useState('')
  const { data: entries } = useCall('register.list', {})
  // Use a map, because an account may have tens of thousands of keys.
  const entriesByKey = useMemo(() => new Map(entries?.map((entry) => [entryKey(entry), entry])), [entries])
  const getKeyHint = useKeyHint()
  const getToolName = useToolName()
  const foundKeys = useMemo(() => {
    const searchText = toSearchText(text.trim())
    return keys
      .map((rotatableKey) => ({ of: rotatableKey, entry: entriesByKey.get(entryKey(rotatableKey)) }))
      .filter(({ of: { key, plan }, entry }) =>
        toSearchText(`${key.name} ${plan.name} ${entry?.holder?.name ?? ''}`).includes(searchText),
      )
  }, [keys, entriesByKey, text])
  return (
    <>
      {keys.length > searchMinKeys ? (
        <Toolbar>
          <SearchField
            label={t('rotation:choose.search')}
            value={text}
            onChange={setText}
            found={{ shown: foundKeys.length, count: keys.length }}
            hasFindKey
          />
        </Toolbar>
      ) : null}
      {foundKeys.length === 0 ? (
        <EmptyState icon={Search} title={t('rotation:choose.noMatch', { text })} />
      ) : (
        <VirtualRows label={t('rotation:choose.list')} items={foundKeys} toKey={toId} getHeight={getHeight}>
          {({ of, entry }, place) => {
            const { plan, key } = of
            const tools = entry?.tools ?? (plan.keys.length === 1 ? plan.usedBy.map(getToolName) : [])
            const rotatePath = rotateKeyPath(of)
            return (
              <Row
                key={entryKey(of)}
                place={place}
                leading={<RowIcon icon={RotateCw} />}
                title={key.name}
                to={rotatePath}
                description={[
                  plan.name,
                  isCurrentKey(key) ? <code key="masked">{key.masked}</code> : getKeyHint(key),
                  entry?.holder && t('rotation:many.heldBy', { holder: entry.holder.name }),
                  tools.length > 0 ? formatList(tools) : entry && t('rotation:choose.unused'),
                ]}
                trailing={[
                  {
                    label: t('rotation:rotateMenu'),
                    to: rotatePath,
                    'aria-label': t('rotation:rotateNamed', {
                      key: t('register:keyOfPlan', { key: key.name, plan: plan.name }),
                    }),
                  },
                ]}
              />
            )
          }}
        </VirtualRows>
      )}
    </>
  )
}

function ChooseKey() {
  const plans = useCall('plans.list', {})
  const keys = useMemo(() => rotatableKeys(plans.data ?? []), [plans.data])
  return (
    <>
      <PageHeader
        title={t('rotation:title')}
        state={t('rotation:choose.state')}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
        actions={[{ label: t('rotation:choose.several'), icon: ListChecks, to: registerPath }]}
      />
      <Loaded query={plans} rows={4}>
        {() =>
          keys.length === 0 ? (
            <EmptyState
              icon={RotateCw}
              title={t('rotation:choose.none')}
              next={{ to: '/plans', label: t('rotation:choose.toPlans') }}
            >
              {t('rotation:choose.noneText')}
            </EmptyState>
          ) : (
            <RotatableKeys keys={keys} />
          )
        }
      </Loaded>
    </>
  )
}
