import type { AlertView } from '@shared/contract'
import i18next from 'i18next'
import { Bell, BellOff, Gauge, Hourglass, Settings, TriangleAlert, Wallet } from 'lucide-react'
import { useState } from 'react'
import { formatRelative } from '../../../format'
import { useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { alertSettingsPath, budgetsPath, quotaPath, requestsPath, usagePath } from '../../../paths'
import { RelativeTime, useNow } from '../../../relative-time'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Menu, type MenuItem } from '../../../ui/menu'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { Row, Rows } from '../../../ui/rows'
import { findMuteReason, formatSnooze, useAlertSettings } from './alert-settings'

const t = i18next.getFixedT(null, ['alerts', 'usage'])

const icons = { threshold: Gauge, forecast: Hourglass, errorBurst: TriangleAlert, budget: Wallet } as const

/** Interval in ms at which the page polls, because no event announces a new alert. */
const refreshIntervalMs = 30_000

/** Period before an alert in which the failed requests that caused it are listed. */
const burstMs = 30 * 60_000

/** Path of the request list with the failed requests that caused an alert. */
function failedPath({ planId, modelCode, at }: AlertView): string {
  const since = new Date(Date.parse(at) - burstMs).toISOString()
  return requestsPath({ scope: 'machine', planId, modelCode, since, until: at, onlyErrors: true })
}

function formatAlert(alert: AlertView): string {
  const { kind, modelCode, allowance = 'tokens', percent = 0, budgetName = '', isRefused } = alert
  if (kind === 'budget' && percent < 100)
    return t('kinds.budget.threshold', { budget: budgetName, percent: `${percent}%` })
  if (kind === 'budget') return t(isRefused ? 'kinds.budget.refused' : 'kinds.budget.used', { budget: budgetName })
  const model = modelCode ?? t('someModel')
  if (kind === 'errorBurst') return t('kinds.errorBurst', { model })
  if (kind === 'forecast') return t(`kinds.forecast.${allowance}`, { model })
  return t(`kinds.${percent >= 100 ? 'used' : 'threshold'}.${allowance}`, { model, percent: `${percent}%` })
}

/** Offered snooze durations in hours. */
const spans = [1, 8, 24, 72, 168] as const

/** Menu to snooze alerts of a model or of its whole plan, or the state of an alert that is silenced already. */
function AlertSnoozeMenu({ alert }: { readonly alert: AlertView }) {
  const currentTime = useNow()
  const { query, snooze, wake } = useAlertSettings()
  if (!query.data) return null
  const quietReason = findMuteReason(alert, query.data, currentTime)
  if (quietReason === 'muted') return <span className="text-muted text-sm">{t('muted')}</span>
  if (quietReason) {
    const { planId, modelCode, until } = quietReason
    const { short, exact } = formatRelative(until, currentTime)
    return (
      <>
        <span className="text-muted text-sm" title={exact}>
          {t('snoozed', { when: short })}
        </span>
        <Button
          size="sm"
          variant="ghost"
          aria-label={t('wakeOf', { what: formatSnooze(alert.planName, modelCode) })}
          onClick={() => wake({ planId, modelCode })}
        >
          {t('wake')}
        </Button>
      </>
    )
  }
  const { planId, planName, modelCode } = alert
  const lines = (target: Pick<AlertView, 'modelCode'>): readonly MenuItem[] =>
    spans.map((hours) => ({
      label: hours < 24 ? t('for.hours', { count: hours }) : t('for.days', { count: hours / 24 }),
      onSelect: () => snooze({ planId, ...target, hours }),
    }))
  return (
    <Menu
      align="end"
      trigger={
        <Button size="sm" icon={BellOff} aria-label={t('snoozeOf', { what: formatSnooze(planName, modelCode) })}>
          {t('snooze')}
        </Button>
      }
      items={[
        ...(modelCode === undefined
          ? []
          : [{ heading: t('ofModel', { model: modelCode }) }, ...lines({ modelCode }), 'separator' as const]),
        { heading: t('ofPlan', { plan: planName }) },
        ...lines({}),
      ]}
    />
  )
}

function AlertRow({ alert }: { readonly alert: AlertView }) {
  const { kind, planName, percent = 0, at } = alert
  const Icon = icons[kind]
  const isSevere = kind === 'errorBurst' || percent >= 100
  const isBudget = kind === 'budget'
  const linkPath = kind === 'errorBurst' ? failedPath(alert) : isBudget ? budgetsPath : quotaPath
  const linkTextKey = kind === 'errorBurst' ? 'toErrors' : isBudget ? 'toBudgets' : 'toLeft'
  return (
    <Row
      leading={
        <Icon size={17} strokeWidth={1.8} className={isSevere ? 'text-danger' : 'text-warning'} aria-hidden="true" />
      }
      title={formatAlert(alert)}
      to={linkPath}
      description={[...(isBudget ? [] : [planName]), <RelativeTime key="at" at={at} />, t(linkTextKey)]}
      trailing={isBudget ? undefined : <AlertSnoozeMenu alert={alert} />}
    />
  )
}

const shownAlerts = 25

export function AlertsPage() {
  const list = useCall('alerts.list', {}, { refetchInterval: refreshIntervalMs })
  const { query, shown, change } = useAlertSettings()
  const [maxVisible, setMost] = useState(shownAlerts)
  const settings = query.data && shown(query.data)
  return (
    <Page>
      <PageHeader
        title={t('alerts:title')}
        breadcrumb={[{ label: t('usage:title'), to: usagePath }]}
        state={t('alerts:state')}
        actions={[{ label: t('alerts:empty.toSettings'), icon: Settings, to: alertSettingsPath }]}
      />
      {settings?.enabled === false ? (
        <Callout
          tone="info"
          title={t('alerts:off.title')}
          actions={[{ label: t('alerts:off.turnOn'), onClick: () => change(settings, { enabled: true }) }]}
        />
      ) : null}
      <Loaded query={list} rows={4}>
        {(alerts) =>
          alerts.length === 0 ? (
            <EmptyState icon={Bell} title={t('alerts:empty.title')}>
              {t(settings?.enabled === false ? 'alerts:empty.off' : 'alerts:empty.text')}
            </EmptyState>
          ) : (
            <>
              <Rows label={t('alerts:list')}>
                {alerts.slice(0, maxVisible).map((alert) => (
                  <AlertRow key={alert.id} alert={alert} />
                ))}
              </Rows>
              {alerts.length > maxVisible ? (
                <div>
                  <Button onClick={() => setMost(maxVisible + shownAlerts)}>
                    {t('alerts:more', { count: alerts.length - maxVisible })}
                  </Button>
                </div>
              ) : null}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
