import type { AppView, MethodInput, UpdatesView } from '@shared/contract'
import { zoomSteps } from '@shared/shortcuts'
import { ChevronRight, Copy, KeyRound, Monitor, Moon, ShieldAlert, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useFailureToast } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { useSettings, useUpdateSettings } from '../../settings'
import { useSettingAction } from '../../toast-actions'
import { type Action, Button, renderActions } from '../../ui/button'
import { Chips } from '../../ui/chips'
import { joinClassNames } from '../../ui/cn'
import { Dialog } from '../../ui/dialog'
import { Markdown } from '../../ui/markdown/markdown'
import { Meter } from '../../ui/meter'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { ControlRow, KeyValue } from '../../ui/rows'
import { Select } from '../../ui/select'
import { SwitchRow } from '../../ui/switch'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { ShortcutList } from '../help'
import { MetricsSection } from '../relay/metrics'
import { AlertSection, WebhookSection } from '../usage/alerts'
import { KeychainAdvice, ReplacedNotice } from '.'

function Appearance() {
  const { t } = useTranslation('settings', { keyPrefix: 'appearance' })
  const { t: tSettings } = useTranslation('settings')
  const { theme, language, zoomPercent } = useSettings()
  const { locale } = useFormats()
  const share = (percent: number): string => new Intl.NumberFormat(locale, { style: 'percent' }).format(percent / 100)
  const update = useUpdateSettings()
  const showFailureToast = useFailureToast()
  const change = (changes: MethodInput<'settings.update'>): void => {
    update(changes).catch(showFailureToast({ title: tSettings('notSaved') }))
  }
  return (
    <>
      <ControlRow
        label={t('theme')}
        control={
          <SegmentedControl
            label={t('theme')}
            value={theme}
            segments={[
              { value: 'system', label: t('system'), icon: Monitor },
              { value: 'light', label: t('light'), icon: Sun },
              { value: 'dark', label: t('dark'), icon: Moon },
            ]}
            onValueChange={(chosenTheme) => change({ theme: chosenTheme })}
          />
        }
      />
      <ControlRow
        label={t('language')}
        hint={t('languageHint')}
        control={
          <SegmentedControl
            label={t('language')}
            value={language}
            segments={[
              { value: 'system', label: t('system') },
              { value: 'en', label: 'English' },
              { value: 'vi', label: 'Tiếng Việt' },
            ]}
            onValueChange={(chosenLanguage) => change({ language: chosenLanguage })}
          />
        }
      />
      <ControlRow
        label={t('zoom')}
        control={
          <Select
            aria-label={t('zoom')}
            className="w-28"
            value={String(zoomPercent)}
            options={zoomSteps.map((percent) => ({ value: String(percent), label: share(percent) }))}
            onValueChange={(value) => change({ zoomPercent: Number(value) })}
          />
        }
      />
    </>
  )
}

export function SettingsPage() {
  const { t } = useTranslation('settings')
  const app = useCall('app.get', {})
  return (
    <Page width="narrow">
      <PageHeader title={t('title')} />
      <Section title={t('appearance.title')}>
        <Card flush>
          <Appearance />
        </Card>
      </Section>
      <Section title={t('reminders.title')}>
        <Reminders />
      </Section>
      <AlertSection />
      <WebhookSection />
      <MetricsSection />
      <Loaded query={app} rows={2}>
        {(view) => (
          <>
            <Section title={t('vault.title')}>
              <KeysState vault={view.vault} platform={view.platform} />
            </Section>
            <UpdatesSection />
            <Section title={t('about.title')}>
              <AboutRow app={view} />
            </Section>
          </>
        )}
      </Loaded>
      <Section title={t('shortcuts')}>
        <ShortcutList />
      </Section>
    </Page>
  )
}

export function AboutRow({ app }: { readonly app: AppView }) {
  const { t } = useTranslation('settings')
  const [query, setQuery] = useSearchParams()
  const show = (isOpen: boolean): void => setQuery(isOpen ? { about: '1' } : {}, { replace: true })
  return (
    <Card flush>
      <ControlRow
        label={`Platform Companion ${app.version}`}
        control={[{ label: t('about.open'), size: 'md', onClick: () => show(true) }]}
      />
      {query.get('about') === '1' ? <AboutDialog app={app} onClose={() => show(false)} /> : null}
    </Card>
  )
}

function AboutDialog({ app, onClose }: { readonly app: AppView; readonly onClose: () => void }) {
  const { t } = useTranslation('settings', { keyPrefix: 'about' })
  const { data: about } = useCall('app.about', {})
  const { mutate, isPending } = useAction('app.copyText', { onSuccess: () => void toast(t('copied')) })
  const runtime = about && `Electron ${about.electron} · Chromium ${about.chromium} · Node.js ${about.node}`
  const appDetails: readonly (readonly [string, string | undefined])[] = [
    [t('version'), app.version],
    [t('runtime'), runtime && (about.isStandIn ? `${runtime} (${t('standIn')})` : runtime)],
    [t('platform'), t(`platforms.${app.platform}`)],
    [t('licence'), about?.licences === undefined ? 'MIT' : `MIT · ${about.licences}`],
    [t('dataDir'), app.dataDir],
  ]
  const text = ['Platform Companion', ...appDetails.map(([label, value]) => `${label}: ${value ?? ''}`)].join('\n')
  return (
    <Dialog
      onClose={onClose}
      title="Platform Companion"
      footer={[{ label: t('copy'), icon: Copy, busy: isPending, disabled: !about, onClick: () => mutate({ text }) }]}
    >
      <KeyValue
        items={appDetails.map(([label, value]) => ({ label, value: <span className="select-text">{value}</span> }))}
      />
    </Dialog>
  )
}

/** Choices for when to remind of a plan's expiry, in days before it. */
const selectableDays = [30, 14, 7, 3, 1] as const

/** Choices for the age of a key that causes a reminder, in days. */
const selectableKeyDays = [30, 60, 90] as const

export function Reminders() {
  const { t } = useTranslation('settings', { keyPrefix: 'reminders' })
  const { t: tKeys } = useTranslation('rotation', { keyPrefix: 'reminders' })
  const query = useCall('settings.getReminders', {})
  const save = useSettingAction('settings.setReminders', { invalidates: ['settings'] })
  return (
    <Loaded query={query} rows={3}>
      {(savedSettings) => {
        const view = save.isPending ? save.variables : savedSettings
        return (
          <>
            <Card flush>
              <SwitchRow
                checked={view.enabled}
                onCheckedChange={(enabled) => save.mutate({ ...view, enabled })}
                label={t('enabled')}
                hint={t('hint')}
              />
              <ControlRow
                label={t('days')}
                control={
                  <Chips
                    label={t('days')}
                    chips={selectableDays.map((count) => ({ value: String(count), label: t('day', { count }) }))}
                    chosen={view.days.map(String)}
                    disabled={!view.enabled}
                    onChange={(days) => save.mutate({ ...view, days: days.map(Number) })}
                  />
                }
              />
            </Card>
            <Card>
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
                <div>
                  <p className="font-medium">{tKeys('title')}</p>
                  <Hint>{tKeys('hint')}</Hint>
                </div>
                <Chips
                  label={tKeys('title')}
                  chips={selectableKeyDays.map((count) => ({ value: String(count), label: tKeys('day', { count }) }))}
                  chosen={view.keyDays.map(String)}
                  onChange={(days) => save.mutate({ ...view, keyDays: days.map(Number).toSorted((a, b) => a - b) })}
                />
              </div>
            </Card>
          </>
        )
      }}
    </Loaded>
  )
}

function KeysState({ vault, platform }: Pick<AppView, 'vault' | 'platform'>) {
  const { t } = useTranslation('settings')
  const recheckKeychain = useAction('app.recheckVault', {
    invalidates: ['app', 'connections', 'plans'],
    onSuccess: ({ vault: { kind } }) => {
      void (kind === 'keychain' ? toast(t('vault.found')) : toast(t('vault.stillNone'), { tone: 'info' }))
    },
  })
  const isKeychainUsed = vault.kind === 'keychain'
  const Icon = isKeychainUsed ? KeyRound : ShieldAlert
  return (
    <Card>
      <div className="flex items-start gap-3">
        <Icon
          size={18}
          strokeWidth={1.7}
          className={joinClassNames('mt-0.5', isKeychainUsed ? 'text-success' : 'text-warning')}
          aria-hidden="true"
        />
        <div className="min-w-0 flex-1">
          <p className="font-medium">{t(`vault.${vault.kind}`)}</p>
          <Hint>{isKeychainUsed ? t('vault.keychainText') : t('vault.sessionText')}</Hint>
        </div>
        <Button
          size="sm"
          className="self-center"
          busy={recheckKeychain.isPending}
          onClick={() => recheckKeychain.mutate({})}
        >
          {t('vault.recheck')}
        </Button>
      </div>
      {vault.kind === 'session' ? (
        <div className="mt-2.5 border-t pt-1">
          <KeyValue
            items={[
              { label: t('vault.install'), value: <KeychainAdvice platform={platform} /> },
              { label: t('vault.reason'), value: <span lang="en">{vault.reason}</span> },
            ]}
          />
        </div>
      ) : null}
      <ExplainedFailure failure={recheckKeychain.error?.failure} />
    </Card>
  )
}

const channels = ['stable', 'beta'] as const

export function UpdatesSection() {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const query = useCall('updates.get', {})
  return (
    <Section title={t('title')}>
      <Loaded query={query} rows={2}>
        {(view) => (
          <>
            {view.isReplaced ? <ReplacedNotice /> : <UpdateState view={view} />}
            {view.state.kind === 'off' ? null : <Choices view={view} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function UpdateState({ view }: { readonly view: UpdatesView }) {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const { locale, bytes } = useFormats()
  const { download, buttons } = useUpdateActions(view)
  const { state, version } = view
  const { doneBytes, totalBytes } = state.kind === 'downloading' ? state : { doneBytes: 0, totalBytes: 0 }
  const progress = t('progress', { done: bytes(doneBytes), total: bytes(totalBytes) })
  const release = 'release' in state ? state.release : undefined
  const notes = release?.notes[locale] ?? release?.notes.en ?? ''
  const title = ((): string => {
    if (state.kind === 'off') return t(`off.${state.reason}`)
    if (state.kind === 'checking') return t('checking')
    if (state.kind === 'failed') {
      return release === undefined ? t('checkFailed') : t('downloadFailed', { version: release.version })
    }
    if (state.kind === 'ready') return t('ready', { version: state.release.version })
    if (state.kind === 'downloading') return t('downloading', { version: state.release.version })
    if (release !== undefined) return t('available', { version: release.version })
    return view.checkedAt === undefined ? t('notChecked') : t('upToDate')
  })()
  return (
    <Card>
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-[1_1_220px]" role="status">
          <p className="font-medium">{title}</p>
          <Hint>
            {t('installed', { version })}
            {view.checkedAt === undefined ? null : (
              <>
                {' · '}
                {t('checked')} <RelativeTime at={view.checkedAt} />
              </>
            )}
          </Hint>
        </div>
        <div className="ml-auto flex items-center gap-2">{renderActions(buttons, 'sm')}</div>
      </div>
      {state.kind === 'downloading' ? (
        <div className="mt-2.5 grid gap-1">
          <Meter label={progress} value={state.doneBytes / state.totalBytes} text={progress} />
          <Hint>{progress}</Hint>
        </div>
      ) : null}
      {state.kind === 'ready' && state.isAtQuit ? <Hint>{t('atQuit')}</Hint> : null}
      {state.kind === 'available' && view.by === 'system' ? <Hint>{t('bySystem')}</Hint> : null}
      {release !== undefined && notes !== '' ? (
        <details className="group mt-2.5">
          <summary className="flex w-max max-w-full items-center gap-1.5 rounded-sm text-soft hover:text-text">
            <ChevronRight size={12} strokeWidth={2} aria-hidden="true" className="group-open:rotate-90" />
            {t('notes', { version: release.version })}
          </summary>
          <div className="mt-1.5 max-h-60 overflow-auto text-soft">
            <Markdown text={notes} />
          </div>
        </details>
      ) : null}
      {state.kind === 'failed' ? (
        <div className="mt-2.5">
          <ExplainedFailure failure={state.failure} handlers={{ tryAgain: release && download }} />
        </div>
      ) : null}
    </Card>
  )
}

function useUpdateActions({ state, by }: UpdatesView) {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const options = { invalidates: ['updates'] } as const
  const check = useAction('updates.check', options)
  const { mutate: startDownload } = useAction('updates.download', options)
  const { mutate: cancel } = useAction('updates.cancel', options)
  const { mutate: install } = useAction('updates.install', options)
  const { mutate: openLink } = useAction('app.openLink')
  const download = (): void => startDownload({})
  const listButtons = (): readonly (Action | false)[] => {
    if (state.kind === 'off') return []
    if (state.kind === 'downloading') return [{ label: t('cancel'), onClick: () => cancel({}) }]
    if (state.kind === 'ready')
      return [
        !state.isAtQuit && { label: t('installAtQuit'), onClick: () => install({ when: 'atQuit' }) },
        { label: t('restart'), variant: 'primary', onClick: () => install({ when: 'now' }) },
      ]
    if (state.kind === 'available' && by === 'app')
      return [{ label: t('download'), variant: 'primary', onClick: download }]
    const page = state.kind === 'available' ? state.release.page : undefined
    if (page !== undefined)
      return [{ label: t('openPage'), variant: 'primary', onClick: () => openLink({ url: page }) }]
    const busy = check.isPending || state.kind === 'checking'
    return [{ label: t('check'), busy, onClick: () => check.mutate({}) }]
  }
  return { download, buttons: listButtons() }
}

function Choices({ view }: { readonly view: UpdatesView }) {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const { mutate: change } = useSettingAction('updates.change', { invalidates: ['updates'] })
  return (
    <Card flush>
      <SwitchRow
        checked={view.isAutomatic}
        onCheckedChange={(isAutomatic) => change({ isAutomatic })}
        label={t(view.by === 'app' ? 'automatic' : 'automaticSystem')}
        hint={t(view.by === 'app' ? 'automaticHint' : 'automaticHintSystem')}
      />
      <ControlRow
        label={t('channel')}
        hint={t('channelHint')}
        control={
          <SegmentedControl
            label={t('channel')}
            value={view.channel}
            segments={channels.map((value) => ({ value, label: t(`channels.${value}`) }))}
            onValueChange={(channel) => change({ channel })}
          />
        }
      />
    </Card>
  )
}
