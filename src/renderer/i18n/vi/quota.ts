import type { quota as english } from '../en/quota'
import type { Translation } from '../texts'

/** Words of allowances, in Vietnamese: the pair of gauges and the forecast. */
export const quota: Translation<typeof english> = {
  intro:
    'Mỗi mô hình có hai hạn mức riêng. Không chuyển được giữa các mô hình hay các gói, nên không có con số cộng gộp.',
  legend: {
    used: 'đã dùng',
    expected: 'dự kiến đến cuối chu kỳ',
    pace: 'nhịp dùng đều',
  },
  list: 'Các gói và phần còn lại',
  models: 'Các mô hình của {{plan}}',
  source: {
    console: 'Do bảng điều khiển đếm: tất cả những người dùng gói',
    machine: 'Do máy này đếm: chỉ những gì máy này thấy',
  },
  renews: 'gia hạn {{when}}',
  ends: 'kết thúc {{when}}',
  cycleEnds: 'chu kỳ kết thúc {{when}}',
  expired: 'Hết hạn',
  at: 'số liệu {{when}}',
  tokens: 'Token',
  requests: 'Yêu cầu',
  unknownAllowance: 'chưa biết hạn mức',
  used: 'Đã dùng {{amount}}',
  exactUsed: 'Đã dùng {{amount}}; chưa biết hạn mức',
  toUsage: 'Mức sử dụng',
  noModels: 'Chưa biết hạn mức nào',
  noModelsText: 'Khóa được bàn giao không cho biết hạn mức. Người mua gói xem được.',
  tell: 'Nhập hạn mức',
  change: 'Sửa hạn mức',
  none: 'Chưa có gói nào',
  noneText: 'Hãy thêm một gói, phần còn lại của gói sẽ hiện ở đây.',
  addPlan: 'Thêm gói',
  forecast: {
    runsOut: {
      renewal: {
        days_other: 'Sẽ hết trước khi gia hạn {{count}} ngày',
        hours_other: 'Sẽ hết trước khi gia hạn {{count}} giờ',
        soon: 'Sẽ hết ngay trước khi gia hạn',
      },
      end: {
        days_other: 'Sẽ hết trước khi hết chu kỳ {{count}} ngày',
        hours_other: 'Sẽ hết trước khi hết chu kỳ {{count}} giờ',
        soon: 'Sẽ hết ngay trước khi hết chu kỳ',
      },
    },
    between: 'trong khoảng {{from}} đến {{to}}',
    on: 'vào {{day}}',
    earliest: {
      renewal: 'sớm nhất là {{day}}; cũng có thể đủ đến khi gia hạn',
      end: 'sớm nhất là {{day}}; cũng có thể đủ đến hết chu kỳ',
    },
    dayMonth: '{{day}} {{month}}',
    lasts: {
      renewal: 'Đủ dùng: đến khi gia hạn dùng khoảng {{low}} đến {{high}}',
      end: 'Đủ dùng: đến hết chu kỳ dùng khoảng {{low}} đến {{high}}',
    },
    lastsAt: {
      renewal: 'Đủ dùng: đến khi gia hạn dùng khoảng {{share}}',
      end: 'Đủ dùng: đến hết chu kỳ dùng khoảng {{share}}',
    },
    exhausted: 'Đã hết',
    exhaustedSince: 'Đã hết từ {{day}}',
    paused: 'các lệnh gọi mô hình này tạm dừng đến chu kỳ sau',
    notEnough: {
      tooShort: 'Chưa đủ dữ liệu: chu kỳ mới bắt đầu',
      noHistory: 'Chưa đủ dữ liệu: chưa dùng gì',
      noCycle: 'Không dự báo được: chưa biết khi nào hết chu kỳ',
      noAllowance: 'Không dự báo được: chưa biết hạn mức',
    },
    short: {
      days_other: 'sẽ hết sớm {{count}} ngày',
      hours_other: 'sẽ hết sớm {{count}} giờ',
      soon: 'sẽ hết sớm một chút',
    },
    how: 'Tính từ nhịp dùng gần đây, có xét các ngày trong tuần; khoảng dự báo đúng trong 8 trên 10 trường hợp.',
  },
  allowances: {
    title: 'Hạn mức của {{plan}}',
    text: 'Theo từng mô hình và mỗi chu kỳ, như người mua gói đọc được. Chỗ nào không biết thì để trống.',
    model: 'Mô hình',
    tokens: 'Token',
    requests: 'Yêu cầu',
    tokensOf: 'Token của {{model}}',
    requestsOf: 'Yêu cầu của {{model}}',
    addModel: 'Mã mô hình khác',
    add: 'Thêm',
    days: 'Độ dài chu kỳ (ngày)',
    daysHint: 'Chu kỳ kết thúc cùng lúc với gói. Hãy đặt ngày hết hạn ở trang của gói.',
    badAmount: 'Một số nguyên như 20.000 hoặc 20M.',
    badDays: 'Từ 1 đến 366 ngày.',
    noModels: 'Gói này chưa có mã mô hình. Hãy thêm các mã bạn được cho.',
    saved: 'Đã lưu hạn mức của {{plan}}',
  },
}
