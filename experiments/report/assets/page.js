// Sorts the tables of the page by their columns. A row that explains the one above it stays there.
(function () {
  'use strict';
  var sizes = { k: 1e3, M: 1e6, G: 1e9, '%': 0.01, x: 1 };
  var lengths = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

  // worth is a cell as a number: 1.66G, 7.8%, 3k/s, 10m00s, 13:28; or its text.
  function worth(text) {
    var t = text.trim().replace(/,/g, '').replace(/^[<>]/, '');
    if (t === '' || t === '–') { return null; }
    var clock = /^(\d+):(\d\d)(?::(\d\d))?(?:\.\d+)?$/.exec(t);
    if (clock) { return clock.slice(1).reduce(function (sum, part) { return sum * 60 + Number(part || 0); }, 0); }
    if (/^(?:[\d.]+(?:h|ms|us|ns|m|s))+$/.test(t)) {
      return t.match(/[\d.]+[a-z]+/g).reduce(function (sum, part) {
        return sum + parseFloat(part) * lengths[part.replace(/[\d.]/g, '')];
      }, 0);
    }
    var number = /^([+-]?[\d.]+)([kMG%x]?)(?:\/s)?(?:\s|$)/.exec(t);
    return number ? Number(number[1]) * (sizes[number[2]] || 1) : t;
  }
  function order(a, b) {
    if (a === null || b === null) { return (a === null) - (b === null); } // what does not exist comes last
    if (typeof a === typeof b) { return a < b ? -1 : a > b ? 1 : 0; }
    return typeof a === 'number' ? -1 : 1;
  }
  function sort(table, column, down) {
    var groups = [];
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      if (row.classList.contains('beneath') && groups.length) { groups[groups.length - 1].push(row); return; }
      groups.push([row]);
    });
    groups.map(function (rows) { return { rows: rows, worth: worth(rows[0].cells[column].textContent) }; })
      .sort(function (a, b) { return a.worth === null || b.worth === null || !down ? order(a.worth, b.worth) : order(b.worth, a.worth); })
      .forEach(function (g) { g.rows.forEach(function (row) { table.tBodies[0].appendChild(row); }); });
  }
  document.querySelectorAll('table').forEach(function (table) {
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      if (head.textContent === '' || table.tBodies[0].rows.length < 2) { return; }
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener('click', function () {
        // Numbers begin with the largest, words with the first.
        var first = head.classList.contains('number') ? 'descending' : 'ascending';
        var other = first === 'descending' ? 'ascending' : 'descending';
        var next = head.getAttribute('aria-sort') === first ? other : first;
        heads.forEach(function (h) { h.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', next);
        sort(table, column, next === 'descending');
      });
    });
  });
})();

// Draws the charts of the page from the options beside them. Times, units and colours are added
// here; names go to ECharts as data only, never as markup.
(function () {
  'use strict';
  if (!window.echarts) { return; }
  var dark = window.matchMedia('(prefers-color-scheme: dark)');
  // The same colours and dashes as those of figures, in the same order.
  var palettes = {
    light: ['#0072B2', '#D55E00', '#009E73', '#AA4499', '#B8860B', '#4A97CC', '#7A5230', '#555555'],
    dark: ['#3D9BE0', '#F0803C', '#2FBF92', '#D27CC4', '#E0B03A', '#9CCBF2', '#C79A6B', '#A9B0BB']
  };
  var dashes = ['solid', [6, 2], [2, 2], [9, 3, 2, 3], [14, 4], [9, 3, 2, 2, 2, 3]];
  var inks = {
    light: { text: '#3a4353', dim: '#5d6778', rule: '#e3e7ee', mark: '#7a8496', shade: 'rgba(120,130,150,0.10)', card: '#ffffff', veil: 'rgba(255,255,255,0.8)' },
    dark: { text: '#d3dae5', dim: '#98a3b5', rule: '#2a3240', mark: '#8b96a8', shade: 'rgba(150,165,190,0.10)', card: '#1c222c', veil: 'rgba(20,24,31,0.8)' }
  };

  function figures(v, n) {
    if (v === 0) { return '0'; }
    var places = n - 1 - Math.floor(Math.log10(Math.abs(v)));
    var s = v.toFixed(Math.min(Math.max(places, 0), 9));
    return s.indexOf('.') < 0 ? s : s.replace(/\.?0+$/, '');
  }
  function thousands(v) {
    var a = Math.abs(v);
    if (a >= 999500) { return figures(v / 1e6, 3) + 'M'; }
    if (a >= 999.5) { return figures(v / 1e3, 3) + 'k'; }
    return figures(v, 3);
  }
  function seconds(v) {
    var a = Math.abs(v);
    if (a === 0) { return '0s'; }
    if (a < 1e-3) { return figures(v * 1e6, 3) + 'us'; }
    if (a < 1) { return figures(v * 1e3, 3) + 'ms'; }
    if (a < 60) { return figures(v, 3) + 's'; }
    return Math.floor(v / 60) + 'm' + pad(Math.round(v % 60)) + 's';
  }
  function format(unit, v) {
    if (v === null || v === undefined || isNaN(v)) { return '–'; }
    switch (unit) {
      case 'rate': return thousands(v) + '/s';
      case 'share': return figures(v * 100, 3) + '%';
      case 'duration': return seconds(v);
      case 'factor': return figures(v, 3) + 'x';
      default: return thousands(v);
    }
  }
  function pad(n) { return (n < 10 ? '0' : '') + n; }
  function clock(epoch, ms, long) {
    var s = Math.round(ms / 1000);
    if (epoch) {
      var d = new Date(ms);
      var short = pad(d.getUTCHours()) + ':' + pad(d.getUTCMinutes());
      return long || d.getUTCSeconds() ? short + ':' + pad(d.getUTCSeconds()) : short;
    }
    if (s < 3600) { return pad(Math.floor(s / 60)) + ':' + pad(s % 60); }
    return Math.floor(s / 3600) + ':' + pad(Math.floor(s / 60) % 60) + ':' + pad(s % 60);
  }
  // bin is from when to when a value is, with as many decimals as the ends of bins have.
  function bin(hints, k) {
    var places = hints.step % 1000 === 0 ? 0 : hints.step % 100 === 0 ? 1 : 3;
    return [k, k + 1].map(function (i) {
      var ms = Math.round(hints.start + i * hints.step), part = places ? (ms % 1000 / 1000).toFixed(places).slice(1) : '';
      return clock(hints.epoch, ms - (places ? ms % 1000 : 0), true) + part;
    }).join(' to ');
  }
  // points are values in the middle of their bins: a mean over a bin says nothing of what came
  // before it. One without neighbours is no part of a line, and has a dot.
  function points(values, hints) {
    function none(k) { return values[k] === null || values[k] === undefined; }
    return values.map(function (v, k) {
      var point = [hints.start + (k + 0.5) * hints.step, v];
      return none(k) || !none(k - 1) || !none(k + 1) ? point : { value: point, symbol: 'circle', symbolSize: 5 };
    });
  }

  function axisStyle(ink) {
    return {
      axisLabel: { color: ink.dim, hideOverlap: true },
      axisLine: { lineStyle: { color: ink.rule } },
      axisTick: { lineStyle: { color: ink.rule } },
      splitLine: { show: false }
    };
  }
  function merge(into, from) {
    Object.keys(from).forEach(function (k) {
      var both = into[k] && typeof into[k] === 'object' && !Array.isArray(from[k]);
      if (both && typeof from[k] === 'object') { merge(into[k], from[k]); } else { into[k] = from[k]; }
    });
    return into;
  }

  // options makes a full option of what the page holds, for the light or the dark theme.
  function options(option, theme) {
    var hints = option.cascadesim;
    var ink = inks[theme], palette = palettes[theme];
    delete option.cascadesim;
    option.backgroundColor = 'transparent';
    option.textStyle = { color: ink.text };
    merge(option.legend, { textStyle: { color: ink.text, lineHeight: 18 }, padding: [3, 0], pageTextStyle: { color: ink.dim }, pageIconColor: ink.text, pageIconInactiveColor: ink.rule, itemWidth: 34, itemHeight: 10, itemStyle: { opacity: 0 } });
    merge(option.tooltip, {
      confine: true, order: 'valueDesc',
      backgroundColor: ink.card, borderColor: ink.rule, textStyle: { color: ink.text, fontSize: 12 },
      valueFormatter: function (v) { return format(hints.unit, v); },
      axisPointer: { label: { formatter: function (p) { return bin(hints, Math.floor((p.value - hints.start) / hints.step)); } } }
    });
    merge(option.xAxis[0], axisStyle(ink));
    option.xAxis[0].min = hints.start;
    option.xAxis[0].max = hints.start + hints.step * option.series[0].data.length;
    option.xAxis[0].axisLabel.formatter = function (ms) { return clock(hints.epoch, ms, false); };
    merge(option.yAxis[0], axisStyle(ink));
    option.yAxis[0].min = 0;
    option.yAxis[0].axisLabel.formatter = function (v) { return format(hints.unit, v); };
    option.yAxis[0].splitLine = { show: true, lineStyle: { color: ink.rule } };
    option.dataZoom.forEach(function (z) {
      if (z.type !== 'slider') { return; }
      merge(z, { height: 14, bottom: 8, borderColor: ink.rule, textStyle: { color: ink.dim }, labelFormatter: function (ms) { return clock(hints.epoch, ms, false); }, brushSelect: false, moveHandleSize: 0, showDataShadow: false, fillerColor: ink.shade, handleSize: '90%' });
    });
    option.series.forEach(function (s, i) {
      var color = palette[hints.colors[i] % palette.length];
      s.data = points(s.data, hints);
      s.symbol = 'none';
      s.itemStyle = { color: color };
      s.lineStyle = { color: color, width: 2, type: dashes[hints.dashes[i] % dashes.length] };
      s.emphasis = { focus: 'series' };
      if (s.markLine) {
        merge(s.markLine, {
          silent: true, animation: false,
          lineStyle: { color: ink.mark, type: 'dotted', width: 1 },
          label: { color: ink.dim, fontSize: 11, backgroundColor: ink.veil, position: 'insideEndTop', formatter: function (p) { return p.name || ''; } }
        });
      }
      if (s.markArea) { merge(s.markArea, { silent: true, animation: false, itemStyle: { color: ink.shade } }); }
    });
    // Peaks go by the name of their line, so that the legend hides both; the tooltip has the line alone.
    (hints.peaks || []).forEach(function (peaks, i) {
      if (!peaks.length) { return; }
      var line = option.series[i];
      option.series.push({
        name: line.name, type: 'line', animation: false, symbol: 'none', silent: true, z: 1, tooltip: { show: false },
        itemStyle: line.itemStyle, lineStyle: { color: line.itemStyle.color, width: 0.7, opacity: 0.5 },
        data: points(peaks, hints)
      });
    });
    return option;
  }

  // steer lets the keyboard move the cursor and the zoom, which all charts share, and says where it is.
  var at = 0;
  function steer(place, chart, hints) {
    place.onkeydown = function (e) {
      var option = chart.getOption();
      var count = option.series[0].data.length, zoom = option.dataZoom[0];
      var step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -count, End: count }[e.key];
      if (step) {
        at = Math.min(Math.max(at + step, 0), count - 1);
        chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: at });
        document.getElementById('cursor').textContent = bin(hints, at) + ': ' +
          option.series.slice(0, hints.colors.length).map(function (s) { return s.name + ' ' + format(hints.unit, (s.data[at].value || s.data[at])[1]); }).join(', ');
      } else if (e.key === '+' || e.key === '-') {
        var middle = 100 * (at + 0.5) / count, half = (zoom.end - zoom.start) * (e.key === '+' ? 0.25 : 1);
        chart.dispatchAction({ type: 'dataZoom', start: Math.max(middle - half, 0), end: Math.min(middle + half, 100) });
      } else if (e.key === 'Escape') {
        chart.dispatchAction({ type: 'dataZoom', start: 0, end: 100 });
        chart.dispatchAction({ type: 'hideTip' });
      } else if (e.key >= '1' && e.key <= '9' && e.key <= hints.colors.length) {
        chart.dispatchAction({ type: 'legendToggleSelect', name: option.series[e.key - 1].name });
      } else { return; }
      e.preventDefault();
    };
  }

  // chosen is what the reader hides and looks at, in charts of a group or in one, as an option for
  // those that are drawn later.
  var chosen = {};
  function join(one) {
    var chart = one.drawn, key = chart.group || one.place.id;
    if (chosen[key]) { chart.setOption(chosen[key]); }
    function choose(option) { chosen[key] = merge(chosen[key] || {}, option); }
    chart.on('legendselectchanged', function (e) { choose({ legend: { selected: e.selected } }); });
    chart.on('datazoom', function (e) {
      var z = (e.batch || [e])[0], all = chart.group ? [z, z] : chart.getOption().dataZoom;
      choose({ dataZoom: all.map(function (z) { return { start: z.start, end: z.end }; }) });
    });
  }

  // Drawing one takes longer than all the rest of the page. So each waits, in a place of its height,
  // until it comes near the window, has the focus or is printed, or until there is nothing else to do.
  var charts = Array.prototype.map.call(document.querySelectorAll('script[data-chart]'), function (source) {
    var one = { source: source, place: document.getElementById(source.getAttribute('data-chart')), drawn: null };
    one.place.classList.add('charted');
    one.place.addEventListener('focus', function () { draw(one); });
    return one;
  });
  // Paper is narrower than screens, white, and sharper than pixels.
  var paper = null, sheet = { renderer: 'svg', width: 680 };
  function draw(one) {
    if (one.drawn) { return; }
    var theme = dark.matches && !paper ? 'dark' : 'light';
    var option = JSON.parse(one.source.textContent), hints = option.cascadesim;
    one.drawn = window.echarts.init(one.place, null, paper);
    if (hints.kind) {
      window.cascadesim.plot(one.place, one.drawn, option, { theme: theme, ink: inks[theme], palette: palettes[theme], dashes: dashes, format: format, merge: merge, axisStyle: axisStyle });
    } else {
      one.drawn.setOption(options(option, theme));
      one.drawn.group = 'run';
      steer(one.place, one.drawn, hints);
    }
    join(one);
  }
  function erase(one) {
    if (one.drawn) { one.drawn.dispose(); one.drawn = null; }
  }

  var near = new IntersectionObserver(function (places) {
    places.forEach(function (p) {
      if (p.isIntersecting) { draw(charts.find(function (one) { return one.place === p.target; })); }
    });
  }, { rootMargin: '50%' });
  var idle = window.requestIdleCallback || function (f) { setTimeout(f, 100); }, soon = { timeout: 1000 };
  function rest() {
    var next = charts.find(function (one) { return !one.drawn; });
    if (next) { draw(next); idle(rest, soon); }
  }
  function begin() {
    near.disconnect();
    charts.forEach(function (one) {
      erase(one);
      near.observe(one.place);
    });
    idle(rest, soon);
  }
  window.echarts.connect('run');
  window.echarts.connect('curves');
  begin();
  // What is printed is light, wherever the screen is dark.
  dark.addEventListener('change', function () { if (!paper) { begin(); } });
  window.addEventListener('beforeprint', function () {
    paper = sheet;
    charts.forEach(function (one) {
      erase(one);
      draw(one);
      one.place.querySelector('svg').setAttribute('viewBox', '0 0 ' + sheet.width + ' ' + one.drawn.getHeight());
    });
  });
  window.addEventListener('afterprint', function () { paper = null; begin(); });
  window.addEventListener('resize', function () { charts.forEach(function (one) { if (one.drawn && !paper) { one.drawn.resize(); } }); });
})();
