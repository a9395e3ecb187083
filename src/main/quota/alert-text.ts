import type { UsageErrorKind } from '@shared/contract/usage'
import { joinNames, type NotificationText } from '../account/notification-text'
import type { Alert } from './find-alerts'

type Locale = 'en' | 'vi'

/** Figures and days as they are written in a language. */
interface Written {
  readonly amount: (value: number) => string
  readonly day: (at: string) => string
}

type AlertTexts = {
  readonly [K in Alert['kind']]: (alert: Extract<Alert, { kind: K }>, written: Written) => NotificationText
}

const english: AlertTexts = {
  threshold: ({ planName, modelCode, allowance, used, quota, cycle }, { amount, day }) => {
    const until = day(cycle.to)
    if (used >= quota)
      return {
        title: `${planName}: ${modelCode} is out of ${allowance}`,
        body: `All ${amount(quota)} are used. The gateway rejects requests to this model until ${until}.`,
      }
    const then = cycle.autoRenew === false ? `The plan expires on ${until}.` : `The cycle ends on ${until}.`
    return {
      title: `${planName}: ${percentOf(used, quota)} of the ${allowance} of ${modelCode} used`,
      body: `${amount(quota - used)} of ${amount(quota)} are left. ${then}`,
    }
  },
  forecast: ({ planName, modelCode, allowance, used, quota, forecast }, { amount, day }) => {
    const { at, earliest, latest, daysBeforeRenewal } = forecast
    const days = Math.floor(daysBeforeRenewal)
    const early =
      days < 1 ? 'just before the cycle ends' : `${days === 1 ? '1 day' : `${days} days`} before the cycle ends`
    const [first, last] = [day(earliest), latest && day(latest)]
    const band =
      last === undefined ? `${first} at the earliest` : between(first, last, (a, b) => `between ${a} and ${b}`)
    return {
      title: `${planName}: the ${allowance} of ${modelCode} are likely to run out on ${day(at)}`,
      body: `That is ${early}${band === day(at) ? '' : ` (${band})`}. ${amount(quota - used)} of ${amount(quota)} are left.`,
    }
  },
  budget: ({ budget: { name, limit, used, unit, to, action } }, { amount, day }) => {
    if (used < limit)
      return {
        title: `Budget ${name}: ${percentOf(used, limit)} used`,
        body: `${amount(limit - used)} of ${amount(limit)} ${unit} are left until ${day(to)}.`,
      }
    const then = action === 'refuse' ? `The relay rejects requests until ${day(to)}.` : 'Requests still go through.'
    return { title: `Budget ${name} is used up`, body: `All ${amount(limit)} ${unit} are used. ${then}` }
  },
  errorBurst: ({ planName, modelCode, errors, requests, mostly }, { amount }) => ({
    title: `${planName}: requests to ${modelCode} are failing`,
    body: `${amount(errors)} of ${amount(requests)} in the last 10 minutes. Most common: ${englishErrors[mostly]}.`,
  }),
}

const englishErrors: Readonly<Record<UsageErrorKind, string>> = {
  key: 'the key was refused',
  plan: 'the plan has expired or was deleted',
  model: 'the model is not in the plan',
  path: 'the address is wrong',
  quota: 'the quota is used up',
  rateLimit: 'too many requests at once',
  badRequest: 'the gateway did not accept the request',
  server: 'the gateway failed',
  network: 'the gateway could not be reached',
  aborted: 'the tool cancelled the request',
  cut: 'the response was interrupted',
  relay: 'the relay failed',
  budget: 'a budget is used up',
}

const vietnamese: AlertTexts = {
  threshold: ({ planName, modelCode, allowance, used, quota, cycle }, { amount, day }) => {
    const [until, what] = [day(cycle.to), vietnameseKinds[allowance]]
    if (used >= quota)
      return {
        title: `${planName}: ${modelCode} đã hết ${what}`,
        body: `Đã dùng hết ${amount(quota)} ${what}. Gateway từ chối request tới model này đến ngày ${until}.`,
      }
    const then = cycle.autoRenew === false ? `Gói hết hạn ngày ${until}.` : `Chu kỳ kết thúc ngày ${until}.`
    return {
      title: `${planName}: ${modelCode} đã dùng ${percentOf(used, quota)} số ${what}`,
      body: `Còn ${amount(quota - used)} trên ${amount(quota)} ${what}. ${then}`,
    }
  },
  forecast: ({ planName, modelCode, allowance, used, quota, forecast }, { amount, day }) => {
    const { at, earliest, latest, daysBeforeRenewal } = forecast
    const what = vietnameseKinds[allowance]
    const days = Math.floor(daysBeforeRenewal)
    const early = days < 1 ? 'Ngay trước khi chu kỳ kết thúc' : `Trước khi chu kỳ kết thúc ${days} ngày`
    const [first, last] = [day(earliest), latest && day(latest)]
    const band = last === undefined ? `sớm nhất là ${first}` : between(first, last, (a, b) => `từ ${a} đến ${b}`)
    return {
      title: `${planName}: ${what} của ${modelCode} có thể hết vào ngày ${day(at)}`,
      body: `${early}${band === day(at) ? '' : ` (${band})`}. Còn ${amount(quota - used)} trên ${amount(quota)} ${what}.`,
    }
  },
  budget: ({ budget: { name, limit, used, unit, to, action } }, { amount, day }) => {
    const what = vietnameseKinds[unit]
    if (used < limit)
      return {
        title: `Ngân sách ${name}: đã dùng ${percentOf(used, limit)}`,
        body: `Còn ${amount(limit - used)} trên ${amount(limit)} ${what} đến ngày ${day(to)}.`,
      }
    const then = action === 'refuse' ? `Relay từ chối request đến ngày ${day(to)}.` : 'Request vẫn được gửi.'
    return { title: `Đã hết ngân sách ${name}`, body: `Đã dùng hết ${amount(limit)} ${what}. ${then}` }
  },
  errorBurst: ({ planName, modelCode, errors, requests, mostly }, { amount }) => ({
    title: `${planName}: request tới ${modelCode} đang lỗi`,
    body: `${amount(errors)} trên ${amount(requests)} request trong 10 phút qua. Chủ yếu: ${vietnameseErrors[mostly]}.`,
  }),
}

const vietnameseKinds = { tokens: 'token', requests: 'request' } as const

const vietnameseErrors: Readonly<Record<UsageErrorKind, string>> = {
  key: 'key bị từ chối',
  plan: 'gói đã hết hạn hoặc bị xóa',
  model: 'model không thuộc gói',
  path: 'địa chỉ không đúng',
  quota: 'đã hết quota',
  rateLimit: 'quá nhiều request cùng lúc',
  badRequest: 'gateway không chấp nhận request',
  server: 'gateway gặp lỗi',
  network: 'không kết nối được tới gateway',
  aborted: 'công cụ đã hủy request',
  cut: 'phản hồi bị ngắt giữa chừng',
  relay: 'relay gặp lỗi',
  budget: 'đã hết ngân sách',
}

const textsByLocale: Readonly<Record<Locale, AlertTexts>> = { en: english, vi: vietnamese }

/** The words of one notification of several alerts, in the window's language. */
export function alertsWords(alerts: readonly Alert[], locale: Locale): NotificationText {
  const { length: count } = alerts
  const names = joinNames(
    alerts.map((alert) => (alert.kind === 'budget' ? alert.budget.name : alert.planName)),
    locale,
  )
  return locale === 'vi'
    ? { title: `${count} cảnh báo về quota và request`, body: `${names}. Nhấn để xem từng cảnh báo.` }
    : { title: `${count} alerts about quotas and requests`, body: `${names}. Click to see each of them.` }
}

/** The words of a notification, in the window's language: with the figure, the plan and the model. */
export function alertWords(alert: Alert, locale: Locale): NotificationText {
  const numbers = new Intl.NumberFormat(locale)
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' })
  const written: Written = { amount: (value) => numbers.format(value), day: (at) => days.format(new Date(at)) }
  const texts = textsByLocale[locale]
  if (alert.kind === 'threshold') return texts.threshold(alert, written)
  if (alert.kind === 'budget') return texts.budget(alert, written)
  return alert.kind === 'forecast' ? texts.forecast(alert, written) : texts.errorBurst(alert, written)
}

/** Rounded down: an allowance with something left is never 100% used. */
const percentOf = (used: number, quota: number): string => `${Math.floor((used / quota) * 100)}%`

const between = (first: string, last: string, join: (first: string, last: string) => string): string =>
  first === last ? first : join(first, last)
