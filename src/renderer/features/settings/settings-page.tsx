import type { AppView, MethodInput, RemindersView } from '@shared/contract'
import { zoomSteps } from '@shared/shortcuts'
import { Copy, KeyRound, Monitor, Moon, ShieldAlert, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useFailureToast } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { useSettings, useUpdateSettings } from '../../settings'
import { Button } from '../../ui/button'
import { Chips } from '../../ui/chips'
import { joinClassNames } from '../../ui/cn'
import { Dialog } from '../../ui/dialog'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { ControlRow, KeyValue } from '../../ui/rows'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import { Switch } from '../../ui/switch'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { ShortcutList } from '../help'
import { KeyReminders } from '../keys/rotation'
import { MetricsSection } from '../relay/metrics'
import { AlertSection, WebhookSection } from '../usage/alerts'
import { KeychainAdvice } from './index'
import { UpdatesSection } from './updates-section'

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
  const themes = { system: Monitor, light: Sun, dark: Moon } as const
  const themeNames = ['system', 'light', 'dark'] as const
  const languages = { system: t('system'), en: 'English', vi: 'Tiếng Việt' } as const
  const languageNames = ['system', 'en', 'vi'] as const
  return (
    <>
      <ControlRow
        label={t('theme')}
        control={
          <SegmentedControl
            label={t('theme')}
            value={theme}
            segments={themeNames.map((value) => ({ value, label: t(value), icon: themes[value] }))}
            onValueChange={(value) => change({ theme: themeNames.find((name) => name === value) })}
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
            segments={languageNames.map((value) => ({ value, label: languages[value] }))}
            onValueChange={(value) => change({ language: languageNames.find((name) => name === value) })}
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
        <KeyReminders />
      </Section>
      <AlertSection />
      <WebhookSection />
      <MetricsSection />
      <Loaded query={app} skeleton={<SkeletonRows rows={2} />}>
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
        control={<Button onClick={() => show(true)}>{t('about.open')}</Button>}
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
      footer={
        <Button icon={Copy} busy={isPending} disabled={!about} onClick={() => mutate({ text })}>
          {t('copy')}
        </Button>
      }
    >
      <KeyValue
        items={appDetails.map(([label, value]) => ({ label, value: <span className="select-text">{value}</span> }))}
      />
    </Dialog>
  )
}

/** Choices for when to remind of a plan's expiry, in days before it. */
const selectableDays = [30, 14, 7, 3, 1] as const

function Days({ view, onChange }: { readonly view: RemindersView; readonly onChange: (days: number[]) => void }) {
  const { t } = useTranslation('settings', { keyPrefix: 'reminders' })
  return (
    <ControlRow
      label={t('days')}
      control={
        <Chips
          label={t('days')}
          chips={selectableDays.map((count) => ({ value: String(count), label: t('day', { count }) }))}
          chosen={view.days.map(String)}
          disabled={!view.enabled}
          onChange={(days) => onChange(days.map(Number))}
        />
      }
    />
  )
}

export function Reminders() {
  const { t } = useTranslation('settings', { keyPrefix: 'reminders' })
  const { t: tSettings } = useTranslation('settings')
  const query = useCall('settings.getReminders', {})
  const showFailureToast = useFailureToast()
  const save = useAction('settings.setReminders', {
    invalidates: ['settings'],
    onError: showFailureToast({ title: tSettings('notSaved') }),
  })
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={2} />}>
      {(savedSettings) => {
        const view = save.isPending ? save.variables : savedSettings
        return (
          <Card flush>
            <div className="py-2.5 pr-3 pl-4">
              <Switch
                checked={view.enabled}
                onCheckedChange={(enabled) => save.mutate({ ...view, enabled })}
                label={t('enabled')}
                hint={t('hint')}
              />
            </div>
            <Days view={view} onChange={(days) => save.mutate({ ...view, days })} />
          </Card>
        )
      }}
    </Loaded>
  )
}

interface KeysStateProps {
  readonly vault: AppView['vault']
  readonly platform: AppView['platform']
}

type Session = KeysStateProps & { readonly vault: { readonly kind: 'session' } }

function InstallInstructions({ vault, platform }: Session) {
  const { t } = useTranslation('settings')
  return (
    <div className="mt-2.5 border-t pt-1">
      <KeyValue
        items={[
          { label: t('vault.install'), value: <KeychainAdvice platform={platform} /> },
          { label: t('vault.reason'), value: <span lang="en">{vault.reason}</span> },
        ]}
      />
    </div>
  )
}

function KeysState({ vault, platform }: KeysStateProps) {
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
      {vault.kind === 'session' ? <InstallInstructions vault={vault} platform={platform} /> : null}
      {recheckKeychain.error ? <ExplainedFailure failure={recheckKeychain.error.failure} /> : null}
    </Card>
  )
}
