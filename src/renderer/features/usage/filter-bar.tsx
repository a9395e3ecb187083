import type { UsageCycle, UsageScope, UsageSplit } from '@shared/contract'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Bell, Database, Download, Monitor, RefreshCw, Wallet, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { toDateField } from '../../format'
import { invalidateDomains, useCall } from '../../ipc'
import { alertsPath, budgetsPath, relayPath, sourcesPath } from '../../paths'
import { useExportAction } from '../../toast-actions'
import { type Action, Button } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Menu, MenuButton, type MenuItem } from '../../ui/menu'
import { Select, type SelectOption } from '../../ui/select'
import { findRequestedCycle, firstDay, hasRequests, isDay, lastDay, scopes, spanKinds, toScope } from './usage-query'
import { formatDays, isPlanInScope, type Usage } from './use-usage'

const t = i18next.getFixedT(null, ['usage', 'sources', 'alerts', 'budgets', 'relay'])

/** Option value for "all". It starts with a space, so it is never an id. */
const allOptionValue = ' every'

/** Select with an "all" option. Keeps an unknown selected value visible. */
function FilterSelect(props: {
  readonly of: 'plan' | 'model' | 'tool' | 'key' | 'project'
  readonly value: string | undefined
  readonly options: readonly SelectOption[]
  readonly onChoose: (id: string | undefined) => void
  readonly disabled?: boolean
  /** Whether the filter must have a value, so that "all" is not offered. */
  readonly isNeeded?: boolean
}) {
  const { of, value, options, onChoose, disabled = false, isNeeded = false } = props
  const isKnown = value === undefined || options.some((option) => option.value === value)
  return (
    <Select
      aria-label={t(`filters.${of}`)}
      value={value ?? allOptionValue}
      disabled={disabled}
      onValueChange={(id) => onChoose(id === allOptionValue ? undefined : id)}
      options={[
        ...(isNeeded ? [] : [{ value: allOptionValue, label: t(`filters.every.${of}`) }]),
        ...options,
        ...(isKnown ? [] : [{ value, label: value, hint: t('filters.gone') }]),
      ]}
    />
  )
}

function ScopeSelect({ usage }: { readonly usage: Usage }) {
  const chooseScope = (scope: UsageScope): void => {
    // Convert the plan id, because plans and keys have different ids in the account and on this computer.
    const connectionId = usage.console.kind === 'there' ? usage.console.connection.id : undefined
    usage.change(toScope(scope, isPlanInScope(usage.planId, { scope, connectionId }, usage.entries)))
  }
  return (
    <Select
      aria-label={t('filters.scope')}
      value={usage.scope}
      onValueChange={chooseScope}
      options={scopes.map((scope) => ({
        value: scope,
        label: t(`scopes.${scope}`),
        hint: t(`scopeHints.${scope}`),
        disabled: scope === 'console' && usage.console.kind !== 'there',
      }))}
    />
  )
}

export function FilterBar({ usage }: { readonly usage: Usage }) {
  const { query: usageQuery, change, scope, plans, planId } = usage
  const isConsole = scope === 'console'
  const tools = useFilterOptions(usage, 'tool')
  const keys = useKeyOptions(usage)
  const models = useModelOptions(usage)
  const projects = useFilterOptions(usage, 'project')
  // Hidden without projects, because most users read no log that contains them.
  const hasProjects = !isConsole && (projects.length > 0 || usageQuery.projectId !== undefined)
  return (
    <section
      className={joinClassNames(
        'grid gap-2',
        hasProjects ? 'grid-cols-4 min-[1121px]:grid-cols-7' : 'grid-cols-3 min-[1121px]:grid-cols-6',
      )}
      aria-label={t('filters.label')}
    >
      <SpanSelect usage={usage} />
      <ScopeSelect usage={usage} />
      <FilterSelect
        of="plan"
        value={planId}
        isNeeded={isConsole}
        options={plans.map(({ id, name }) => ({ value: id, label: name }))}
        onChoose={(id) => change({ planId: id, keyId: undefined, cycle: undefined })}
      />
      <FilterSelect
        of="model"
        value={usageQuery.modelCode}
        options={models}
        onChoose={(modelCode) => change({ modelCode })}
      />
      <span className="block min-w-0" title={isConsole ? t('filters.notTold') : undefined}>
        <FilterSelect
          of="tool"
          value={isConsole ? undefined : usageQuery.toolId}
          options={tools}
          disabled={isConsole}
          onChoose={(toolId) => change({ toolId })}
        />
      </span>
      <FilterSelect of="key" value={usageQuery.keyId} options={keys} onChoose={(keyId) => change({ keyId })} />
      {hasProjects ? (
        <FilterSelect
          of="project"
          value={usageQuery.projectId}
          options={projects}
          onChoose={(projectId) => change({ projectId })}
        />
      ) : null}
      {usageQuery.span === 'custom' ? (
        <div className="col-span-2 grid grid-cols-2 gap-2">
          {(['from', 'to'] as const).map((end) => (
            <DayInput
              key={end}
              label={t(`spans.${end}`)}
              value={usageQuery[end] ?? ''}
              onChange={(day) => change({ [end]: day })}
            />
          ))}
        </div>
      ) : null}
    </section>
  )
}

const compareLabels = (a: SelectOption, b: SelectOption): number => a.label.localeCompare(b.label)

/** Options of a filter: values in the usage of the period and plan. Other filters do not reduce them. */
function useFilterOptions(
  { filter: { scope, from, to, planId, connectionId }, cannotAsk: blockedReason }: Usage,
  by: UsageSplit,
): readonly SelectOption[] {
  const isKnown = scope !== 'console' || by === 'model'
  const { data = [] } = useCall(
    'usage.shares',
    { filter: { scope, from, to, planId, connectionId }, by },
    { enabled: isKnown && blockedReason === undefined, placeholderData: (previous) => previous },
  )
  return data
    .filter(({ id }) => id !== '')
    .map(({ id, name }) => ({ value: id, label: name ?? id }))
    .sort(compareLabels)
}

/** Models of the plan or of all plans, and models in the usage data. */
function useModelOptions(usage: Usage): readonly SelectOption[] {
  const sharesWithCounts = useFilterOptions(usage, 'model')
  const { plans, planId } = usage
  const codes = plans.filter(({ id }) => planId === undefined || id === planId).flatMap(({ models }) => models)
  const knownOptions = new Map(codes.map((code) => [code, { value: code, label: code }]))
  for (const option of sharesWithCounts) knownOptions.set(option.value, option)
  return [...knownOptions.values()].sort(compareLabels)
}

/** Keys of the account's plan in the console scope, otherwise keys in the usage data. */
function useKeyOptions(usage: Usage): readonly SelectOption[] {
  const { scope, connectionId, planId } = usage
  const usedKeys = useFilterOptions(usage, 'key')
  const { data = [] } = useCall(
    'account.keys',
    connectionId !== undefined && planId !== undefined ? { connectionId, planId } : undefined,
  )
  if (scope !== 'console') return usedKeys
  return data.map(({ keyId, name }) => ({ value: keyId, label: name })).sort(compareLabels)
}

const cycleOptionPrefix = 'cycle '

function listSpanOptions({ cycles, planId }: Usage): readonly SelectOption[] {
  const disabledReason =
    planId === undefined ? t('spans.choosePlan') : cycles.length === 0 ? t('spans.noCycle') : undefined
  const formatCycle = ({ from, to }: UsageCycle): string => formatDays({ from: new Date(from), to: new Date(to) })
  const currentCycle = findRequestedCycle(cycles, undefined)
  const earlierCycles = cycles
    .filter(({ isCurrent }) => !isCurrent)
    .map((cycle) => ({
      value: `${cycleOptionPrefix}${cycle.from}`,
      label: t('spans.previousCycle', { span: formatCycle(cycle) }),
      hint: cycle.isEstimated ? t('spans.estimated') : undefined,
    }))
  const spanOptions = spanKinds.map((kind) => ({
    value: kind,
    label: t(`spans.${kind}`),
    hint: kind === 'cycle' ? (disabledReason ?? (currentCycle && formatCycle(currentCycle))) : undefined,
    disabled: kind === 'cycle' && disabledReason !== undefined,
  }))
  return [...spanOptions.slice(0, -1), ...earlierCycles, ...spanOptions.slice(-1)]
}

function SpanSelect({ usage }: { readonly usage: Usage }) {
  const { query: usageQuery, change, span } = usage
  const options = listSpanOptions(usage)
  const chosenSpan =
    usageQuery.span === 'cycle' && usageQuery.cycle !== undefined
      ? `${cycleOptionPrefix}${usageQuery.cycle}`
      : usageQuery.span
  const chooseSpan = (value: string): void => {
    const cycle = value.startsWith(cycleOptionPrefix) ? value.slice(cycleOptionPrefix.length) : undefined
    const kind = cycle === undefined ? spanKinds.find((candidate) => candidate === value) : 'cycle'
    if (!kind) return
    const days = {
      from: toDateField(span.from.toISOString()),
      to: toDateField(new Date(span.to.getTime() - 1).toISOString()),
    }
    change({ span: kind, cycle, ...(kind === 'custom' && days) })
  }
  return <Select aria-label={t('filters.span')} value={chosenSpan} onValueChange={chooseSpan} options={options} />
}

/** Date field that only reports plausible dates. While the user types a year, the field contains one such as 0002. */
function DayInput(props: { readonly label: string; readonly value: string; readonly onChange: (day: string) => void }) {
  const { label, value, onChange } = props
  const [draft, setDraft] = useState<string>()
  return (
    <TextInput
      type="date"
      aria-label={label}
      min={firstDay}
      max={lastDay}
      value={draft ?? value}
      onChange={({ target }) => {
        setDraft(isDay(target.value) ? undefined : target.value)
        if (isDay(target.value)) onChange(target.value)
      }}
      onBlur={() => setDraft(undefined)}
    />
  )
}

const formats = ['csv', 'json'] as const

export function ExportMenu({ usage }: { readonly usage: Usage }) {
  const { filter, step, scope, cannotAsk: blockedReason, query: usageQuery } = usage
  const exportUsageAction = useExportAction('usage.export', () => t('export.saved'), t('export.failed'))
  const items = (['series', 'requests'] as const).map((content) =>
    formats.map((format): MenuItem => {
      const isMissing = content === 'requests' && !hasRequests(scope)
      return {
        label: t(`export.${format}`, { what: t(`export.${content}`) }),
        disabled: isMissing,
        hint: isMissing ? t('export.noRequests') : undefined,
        onSelect: () => {
          const onlyErrors = content === 'requests' ? usageQuery.onlyErrors : undefined
          exportUsageAction.mutate({ filter, what: content, step, format, onlyErrors })
        },
      }
    }),
  )
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={Download} busy={exportUsageAction.isPending} disabled={blockedReason !== undefined}>
          {t('export.button')}
        </Button>
      }
      items={[...(items[0] ?? []), 'separator', ...(items[1] ?? [])]}
    />
  )
}

export function RefreshButton() {
  const queries = useQueryClient()
  const fetchingCount = useIsFetching({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('usage.') })
  return (
    <IconButton
      icon={RefreshCw}
      label={t('refresh')}
      busy={fetchingCount > 0}
      onClick={() => invalidateDomains(queries, ['usage'])}
    />
  )
}

/** Button that shows the usage counted on this computer instead of the console's. */
export const createMachineAction = (usage: Usage, label: string): Action => ({
  label,
  icon: Monitor,
  onClick: () => usage.change(toScope('machine', undefined)),
})

export function UsageMenu() {
  return (
    <MenuButton
      label={t('sources:more')}
      items={[
        { label: t('alerts:title'), icon: Bell, to: alertsPath },
        { label: t('budgets:title'), icon: Wallet, to: budgetsPath },
        { label: t('sources:title'), icon: Database, to: sourcesPath },
        { label: t('relay:title'), icon: Waypoints, to: relayPath },
      ]}
    />
  )
}
