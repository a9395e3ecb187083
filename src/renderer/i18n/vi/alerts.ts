import type { alerts as english } from '../en/alerts'
import type { Translation } from '../texts'

/** Words of alerts, in Vietnamese. */
export const alerts: Translation<typeof english> = {
  title: 'Cảnh báo',
  state: 'Những gì bạn đã được thông báo, mới nhất trước.',
  list: 'Các cảnh báo',
  kinds: {
    threshold: {
      tokens: 'Đã dùng {{percent}} số token của {{model}}',
      requests: 'Đã dùng {{percent}} số yêu cầu của {{model}}',
    },
    used: {
      tokens: 'Đã hết token của {{model}}',
      requests: 'Đã hết số yêu cầu của {{model}}',
    },
    forecast: {
      tokens: 'Token của {{model}} có thể hết trước khi chu kỳ kết thúc',
      requests: 'Số yêu cầu của {{model}} có thể hết trước khi chu kỳ kết thúc',
    },
    errorBurst: 'Các yêu cầu tới {{model}} bị lỗi liên tiếp',
  },
  someModel: 'một mô hình',
  toLeft: 'Phần còn lại',
  toErrors: 'Các yêu cầu bị lỗi',
  snooze: 'Tạm im',
  snoozeOf: 'Tạm im cảnh báo về {{what}}',
  ofModel: 'Chỉ {{model}}',
  ofPlan: 'Toàn bộ {{plan}}',
  for: {
    hours_other: 'Trong {{count}} giờ',
    days_other: 'Trong {{count}} ngày',
  },
  snoozed: 'Sẽ báo lại {{when}}',
  muted: 'Đã tắt tiếng',
  wake: 'Báo lại ngay',
  wakeOf: 'Báo lại ngay về {{what}}',
  whole: '{{plan}}, mọi mô hình',
  modelOf: '{{model}} của {{plan}}',
  gonePlan: 'một gói không còn nữa',
  empty: {
    title: 'Chưa có cảnh báo nào',
    text: 'Khi một hạn mức vượt ngưỡng, sắp hết trước cuối chu kỳ, hoặc yêu cầu bị lỗi liên tục, hệ thống thông báo cho bạn một lần và ghi lại ở đây.',
    off: 'Cảnh báo đang tắt nên ở đây không ghi gì.',
    toSettings: 'Cài đặt cảnh báo',
  },
  off: {
    title: 'Cảnh báo đang tắt',
    turnOn: 'Bật lên',
  },
  settings: {
    title: 'Cảnh báo',
    all: 'Những cảnh báo đã có',
    enabled: 'Thông báo về hạn mức và yêu cầu bị lỗi',
    hint: 'Khi ứng dụng đang chạy. Mỗi việc báo một lần; chỉ báo lại ở chu kỳ sau, hoặc khi việc đó bắt đầu lại.',
    thresholds: 'Khi đã dùng chừng này của một hạn mức',
    thresholdsHint: 'Token và số yêu cầu được tính riêng.',
    forecast: 'Khi hạn mức có thể hết trước khi chu kỳ kết thúc',
    forecastHint: 'Tính từ nhịp dùng gần đây, có xét các ngày trong tuần.',
    errorBursts: 'Khi yêu cầu bị lỗi liên tục',
    errorBurstsHint: 'Trong phạm vi máy này thấy: qua relay, trong nhật ký của công cụ, hoặc do ứng dụng này gửi.',
    muted: 'Gói đã tắt tiếng',
    mutedHint: 'Không bao giờ cảnh báo.',
    mute: 'Tắt tiếng một gói…',
    unmute: 'Bỏ tắt tiếng',
    unmuteOf: 'Bỏ tắt tiếng {{plan}}',
    snoozed: 'Đang tạm im',
    snoozedHint: 'Im lặng trong một thời gian.',
  },
}
