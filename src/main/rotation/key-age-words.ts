import type { Words } from '../account/reminder-words'
import { namesOf } from '../notices'
import type { AgedKey } from './aged-keys'

type Locale = 'en' | 'vi'

/** What one notification of several old keys says. */
export function keysAgeWords(keys: readonly AgedKey[], locale: Locale): Words {
  const { length: count } = keys
  const names = namesOf(
    keys.map(({ keyName }) => keyName),
    locale,
  )
  const days = Math.min(...keys.map((key) => key.days))
  return locale === 'vi'
    ? { title: `${count} khóa đã dùng từ ${days} ngày trở lên`, body: `${names}. Hãy đổi chúng trong sổ khóa.` }
    : { title: `${count} keys are ${days} days old or older`, body: `${names}. Rotate them in the key register.` }
}

/** What a notification of an old key says. */
export function keyAgeWords({ keyName, planName, ageDays, canRotate }: AgedKey, locale: Locale): Words {
  if (locale === 'vi')
    return {
      title: `Khóa ${keyName} đã dùng ${ageDays} ngày`,
      body: canRotate
        ? `Hãy đổi khóa này của ${planName}: các công cụ vẫn chạy trong lúc đổi.`
        : `Hãy xin một khóa mới cho ${planName} từ người đã giao khóa.`,
    }
  return {
    title: `The key ${keyName} is ${ageDays} days old`,
    body: canRotate
      ? `Rotate this key of ${planName}: your tools keep working meanwhile.`
      : `Ask whoever gave it to you for a new key of ${planName}.`,
  }
}
