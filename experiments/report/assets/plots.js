// What charts of other things than time need beside their options: each kind makes a full option of
// what the page holds and says how the arrow keys move. Names go to ECharts as data only, and into
// the page as text only, never as markup.
var cascadesim = (function () {
  'use strict';
  // Shares that should be one, from none to all; other values, from low to high.
  var good = ['#b3400a', '#e0823f', '#f3c48f', '#cfe5f3'];
  var ramps = { light: ['#eef4ff', '#9dc1fb', '#2f6fde'], dark: ['#1d2a40', '#3b66ab', '#6ea8fe'] };

  // card is what a tooltip shows: a line for each text, the first in bold.
  function card(lines) {
    var box = document.createElement('div');
    lines.forEach(function (text, i) {
      var line = document.createElement('div');
      line.textContent = text;
      line.style.maxWidth = '420px';
      line.style.whiteSpace = 'normal';
      if (!i) { line.style.fontWeight = 'bold'; }
      box.appendChild(line);
    });
    return box;
  }

  // whiskers are the intervals of values: data are [x, y, low, high] with along 0 or 1, the axis in
  // which they reach.
  function whiskers(name, color, data, along) {
    return {
      name: name, type: 'custom', silent: true, z: 3, tooltip: { show: false }, data: data, animation: false,
      itemStyle: { color: color }, encode: { x: along ? 0 : [0, 2, 3], y: along ? [1, 2, 3] : 1 }, clip: true,
      renderItem: function (params, api) {
        var ends = [2, 3].map(function (k) {
          return api.coord(along ? [api.value(0), api.value(k)] : [api.value(k), api.value(1)]);
        });
        function line(a, b) {
          return { type: 'line', shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: color, lineWidth: 1.4, opacity: 0.75 } };
        }
        var dx = along ? 4 : 0, dy = along ? 0 : 4;
        return { type: 'group', children: [line(ends[0], ends[1])].concat(ends.map(function (e) {
          return line([e[0] - dx, e[1] - dy], [e[0] + dx, e[1] + dy]);
        })) };
      }
    };
  }

  // limit is a level to compare values with. It is a value of its own, so that the axis reaches it.
  function limit(mark, look) {
    var ink = look.ink;
    return {
      name: mark.text, type: 'line', data: [[mark.across || 0, mark.at]], symbol: 'none', silent: true, animation: false, tooltip: { show: false }, z: 2,
      itemStyle: { color: ink.text },
      markLine: {
        silent: true, animation: false, symbol: ['none', 'none'], data: [{ yAxis: mark.at }],
        lineStyle: { color: ink.text, type: 'dashed', width: 1.2 },
        label: { formatter: mark.text, color: ink.text, fontSize: 11, backgroundColor: ink.veil, padding: [1, 3], position: 'insideEndTop' }
      }
    };
  }

  // dressed is an option with the colours and axes of the page.
  function dressed(option, hints, look, left) {
    var ink = look.ink;
    option.backgroundColor = 'transparent';
    option.textStyle = { color: ink.text };
    option.grid = { top: 40, left: left, right: 24, bottom: 48, containLabel: false };
    look.merge(option.legend, { top: 4, left: left, right: 16, textStyle: { color: ink.text }, pageTextStyle: { color: ink.dim }, pageIconColor: ink.text, pageIconInactiveColor: ink.rule, inactiveColor: ink.mark });
    look.merge(option.tooltip, { confine: true, backgroundColor: ink.card, borderColor: ink.rule, textStyle: { color: ink.text, fontSize: 12 } });
    [option.xAxis[0], option.yAxis[0]].forEach(function (axis, i) {
      look.merge(axis, look.axisStyle(ink));
      look.merge(axis, { name: i ? '' : hints.names[0], nameLocation: 'middle', nameGap: 28, nameTextStyle: { color: ink.dim } });
    });
    option.yAxis[0].splitLine = { show: true, lineStyle: { color: ink.rule } };
    return option;
  }

  // curve is a quantity over settings, with a line for each of the other ones.
  function curve(option, hints, look) {
    var lines = option.series, ticks = option.xAxis[0].data;
    dressed(option, hints, look, 64);
    option.yAxis[0].axisLabel.formatter = function (v) { return look.format(hints.units[0], v); };
    // What is never below nothing has intervals that reach there.
    if (lines.every(function (s) { return s.data.every(function (v) { return !(v < 0); }); })) { option.yAxis[0].min = 0; }
    look.merge(option.legend, { show: lines.length > 1, itemWidth: 40 });
    option.legend.data = lines.map(function (s) { return s.name; });
    option.tooltip.trigger = 'axis';
    option.tooltip.formatter = function (all) {
      var at = ticks.indexOf(all[0].axisValue);
      return card([hints.names[0] + ' ' + ticks[at]].concat(all.filter(function (p) { return hints.texts[p.seriesIndex]; }).map(function (p) {
        return (lines.length > 1 ? p.seriesName + ': ' : '') + hints.texts[p.seriesIndex][at];
      })));
    };
    lines.forEach(function (s, k) {
      var color = look.palette[k % look.palette.length], best = hints.best[1] === k;
      s.symbol = 'circle';
      s.symbolSize = 7;
      s.itemStyle = { color: color };
      s.lineStyle = { color: color, width: best ? 2.5 : 1.5, type: look.dashes[k % look.dashes.length] };
      s.data = s.data.map(function (v, i) {
        return best && hints.best[0] === i ? { value: v, symbolSize: 13, itemStyle: { borderColor: look.ink.text, borderWidth: 2 } } : v;
      });
      var ends = hints.ends[k].map(function (e, i) { return e && [i, s.data[i].value || s.data[i], e[0], e[1]]; });
      option.series = option.series.concat(whiskers(s.name, color, ends.filter(Boolean), 1));
    });
    option.series = option.series.concat((hints.limits || []).map(function (m) { return limit(m, look); }));
    if (hints.best.length) {
      option.series = option.series.concat({
        type: 'custom', silent: true, z: 0, data: [[hints.best[0]]], animation: false, encode: { x: 0, y: -1 }, tooltip: { show: false },
        renderItem: function (params, api) {
          var area = params.coordSys, wide = api.size([1, 0])[0];
          return { type: 'rect', shape: { x: api.coord([api.value(0), 0])[0] - wide / 2, y: area.y, width: wide, height: area.height }, style: { fill: look.ink.shade } };
        }
      });
    }
    return {
      option: option, count: ticks.length, group: 'curves', names: option.legend.data, first: hints.best[0] || 0,
      step: { ArrowLeft: -1, ArrowRight: 1 },
      place: function (at) { return [0, at]; },
      say: function (at) {
        return hints.names[0] + ' ' + ticks[at] + ': ' + lines.map(function (s, k) {
          return (lines.length > 1 ? s.name + ' ' : '') + hints.texts[k][at];
        }).join('; ');
      }
    };
  }

  // trade is two objectives of all settings against each other.
  function trade(option, hints, look) {
    var ink = look.ink, groups = option.series, order = [];
    dressed(option, hints, look, 72);
    look.merge(option.grid, { right: 40, top: 68 });
    look.merge(option.yAxis[0], { name: hints.names[1], nameLocation: 'end', nameGap: 14, nameTextStyle: { align: 'left', padding: [0, 0, 0, -60] } });
    [option.xAxis[0], option.yAxis[0]].forEach(function (axis, i) {
      axis.scale = true;
      axis.axisLabel.formatter = function (v) { return look.format(hints.units[i], v); };
      axis.splitLine = { show: true, lineStyle: { color: ink.rule } };
    });
    option.dataZoom = [{ type: 'inside', xAxisIndex: 0, filterMode: 'none' }, { type: 'inside', yAxisIndex: 0, filterMode: 'none' }];
    option.legend.data = groups.map(function (s) { return s.name; });
    // A name stands beside its point, or above it where the interval would cross it out.
    function reach(i) { var e = hints.ends[i][0]; return e ? e[1] - e[0] : 0; }
    var across = groups.reduce(function (all, s) { return all.concat((s.data || []).map(function (v) { return v[0]; })); }, []);
    var wide = Math.max.apply(null, across) - Math.min.apply(null, across);
    option.tooltip.trigger = 'item';
    option.tooltip.formatter = function (p) {
      var i = p.value[2];
      return card([hints.points[i].name].concat(hints.texts[i]));
    };
    groups.forEach(function (s, k) {
      var color = [look.palette[0], look.palette[7], look.palette[7]][k];
      s.data = s.data || [];
      s.data.forEach(function (v, n) { order.push([v[0], k, n, v[2]]); });
      option.series = option.series.concat([0, 1].map(function (along) {
        var known = s.data.filter(function (v) { return hints.ends[v[2]][along]; });
        return whiskers(s.name, color, known.map(function (v) { return [v[0], v[1]].concat(hints.ends[v[2]][along]); }), along);
      }));
      if (k === 0) {
        var front = s.data.slice().sort(function (a, b) { return a[0] - b[0]; });
        option.series.push({ name: s.name, type: 'line', symbol: 'none', silent: true, animation: false, tooltip: { show: false }, lineStyle: { color: color, width: 1.5 }, itemStyle: { color: color }, data: front.map(function (v) { return [v[0], v[1]]; }) });
      }
      look.merge(s, { symbolSize: 10, z: 5, itemStyle: k === 2 ? { color: 'transparent', borderColor: color, borderWidth: 1.5 } : { color: color }, labelLayout: { hideOverlap: true } });
      s.data = s.data.map(function (v) {
        var p = hints.points[v[2]], item = { value: v };
        item.label = { show: true, formatter: p.name, position: reach(v[2]) > 0.03 * wide ? 'top' : 'right', padding: [2, 3], color: p.named ? ink.text : ink.dim, fontWeight: p.best ? 'bold' : 'normal' };
        if (p.best) { item.symbolSize = 18; item.itemStyle = { color: look.palette[1], borderColor: ink.text, borderWidth: 2 }; }
        return item;
      });
    });
    order.sort(function (a, b) { return a[0] - b[0]; });
    return {
      option: option, count: order.length, zooms: true, names: option.legend.data,
      first: Math.max(order.findIndex(function (o) { return o[3] === hints.best[0]; }), 0),
      step: { ArrowLeft: -1, ArrowRight: 1 },
      place: function (at) { return [order[at][1], order[at][2]]; },
      say: function (at) {
        var i = order[at][3];
        return [hints.points[i].name].concat(hints.texts[i]).join('; ');
      }
    };
  }

  // field is a quantity at each value of two axes; a list chooses which one.
  function field(option, hints, look) {
    var ink = look.ink, columns = option.xAxis[0].data, rows = option.yAxis[0].data;
    var widest = Math.max.apply(null, rows.map(function (r) { return r.length; }));
    dressed(option, hints, look, Math.min(40 + widest * 7, 180));
    option.legend.show = false;
    option.grid.bottom = 84;
    look.merge(option.yAxis[0], { name: hints.names[1], nameLocation: 'start', inverse: true, splitLine: { show: false } });
    function name(at) { return hints.names[1] + ' ' + rows[Math.floor(at / columns.length)] + ', ' + hints.names[0] + ' ' + columns[at % columns.length]; }
    var shown = 0, best = hints.best[0];
    var frame = {
      type: 'custom', silent: true, z: 5, animation: false, tooltip: { show: false }, data: [[best % columns.length, Math.floor(best / columns.length)]],
      renderItem: function (params, api) {
        var size = api.size([1, 1]), middle = api.coord([api.value(0), api.value(1)]);
        return { type: 'rect', shape: { x: middle[0] - size[0] / 2 + 1, y: middle[1] - size[1] / 2 + 1, width: size[0] - 2, height: size[1] - 2 }, style: { fill: 'none', stroke: ink.text, lineWidth: 2.5 } };
      }
    };
    // layered is what changes from one quantity to the other.
    function layered(k) {
      var layer = hints.layers[shown = k];
      var there = layer.values.filter(function (v) { return v !== null; });
      var low = layer.good ? 0 : Math.min.apply(null, there), high = layer.good ? 1 : Math.max.apply(null, there);
      if (high <= low) { high = low + (Math.abs(low) || 1); }
      return {
        visualMap: [{ type: 'continuous', min: low, max: high, calculable: true, orient: 'horizontal', left: 'center', bottom: 0, itemHeight: 160, itemWidth: 12, dimension: 2, seriesIndex: 0, textStyle: { color: ink.dim }, inRange: { color: layer.good ? good : ramps[look.theme] }, outOfRange: { color: ink.rule }, formatter: function (v) { return look.format(layer.unit, v); } }],
        series: [{
          type: 'heatmap', animation: false, itemStyle: { borderColor: ink.veil, borderWidth: 2 },
          emphasis: { itemStyle: { borderColor: ink.text, borderWidth: 2 } },
          data: layer.values.map(function (v, at) {
            var part = (v - low) / (high - low), pale = layer.good ? part > 0 : look.theme === 'light' ? part < 0.7 : part > 0.7;
            var item = { value: [at % columns.length, Math.floor(at / columns.length), v === null ? '-' : v, at], label: { show: v !== null, formatter: layer.labels[at], color: pale ? '#1c2330' : '#ffffff', overflow: 'truncate', fontSize: 11 } };
            return item;
          })
        }].concat(hints.best.length ? [frame] : [])
      };
    }
    look.merge(option, { tooltip: { trigger: 'item', formatter: function (p) { return card([name(p.value[3]), hints.layers[shown].name + ': ' + hints.texts[shown][p.value[3]]]); } } });
    option.series = [];
    look.merge(option, layered(0));
    return {
      option: option, count: columns.length * rows.length, first: best || 0, layers: hints.layers.map(function (l) { return l.name; }), layered: layered,
      names: [],
      step: { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns.length, ArrowDown: columns.length },
      place: function (at) { return [0, at]; },
      say: function (at) { return name(at) + ': ' + hints.layers[shown].name + ' ' + hints.texts[shown][at]; }
    };
  }

  // samples is a quantity of all settings over one axis; a list chooses which quantity.
  function samples(option, hints, look) {
    var ink = look.ink, shown = 0, named = option.xAxis[0].type === 'category', groups = option.series;
    dressed(option, hints, look, 64);
    if (!named) {
      look.merge(option.xAxis[0], { type: hints.log ? 'log' : 'value', scale: true, min: 'dataMin', max: 'dataMax' });
      option.xAxis[0].axisLabel.formatter = function (v) { return look.format(hints.units[0], v); };
    }
    option.yAxis[0].axisLabel.formatter = function (v) { return look.format(hints.layers[shown].unit, v); };
    option.legend.data = groups.map(function (s) { return s.name; });
    option.tooltip.trigger = 'item';
    option.tooltip.formatter = function (p) { return card(told(p.value[2])); };
    function told(i) { return [hints.points[i].name, hints.layers[shown].name + ': ' + hints.texts[shown][i]].concat(hints.points[i].best ? ['recommended'] : []); }
    var order = hints.points.map(function (p, i) { return i; }).filter(function (i) { return hints.across[i] !== null; }).sort(function (a, b) { return hints.across[a] - hints.across[b] || a - b; });
    var places = [];
    // layered is what changes from one quantity to the other.
    function layered(k) {
      var layer = hints.layers[shown = k], series = [];
      places = [];
      groups.forEach(function (s, g) {
        var color = [look.palette[0], look.palette[7]][g];
        var known = order.filter(function (i) { return layer.values[i] !== null && hints.points[i].meets === !g; });
        series.push({
          name: s.name, type: 'scatter', symbolSize: 9, z: 5, animation: false,
          itemStyle: g ? { color: 'transparent', borderColor: color, borderWidth: 1.5 } : { color: color },
          data: known.map(function (i, n) {
            places[i] = [g, n];
            var item = { value: [hints.across[i], layer.values[i], i] };
            if (hints.points[i].best) { item.symbolSize = 18; item.itemStyle = { color: look.palette[1], borderColor: ink.text, borderWidth: 2 }; }
            return item;
          })
        });
      });
      groups.forEach(function (s, g) {
        var known = order.filter(function (i) { return layer.values[i] !== null && hints.points[i].meets === !g && hints.ends[k][i]; });
        series.push(whiskers(s.name, [look.palette[0], look.palette[7]][g], known.map(function (i) { return [hints.across[i], layer.values[i]].concat(hints.ends[k][i]); }), 1));
      });
      var below = layer.values.some(function (v) { return v < 0; });
      return { yAxis: [{ min: below ? null : 0 }], series: series.concat((layer.limits || []).map(function (m) { return limit({ text: m.text, at: m.at, across: hints.across[order[0]] }, look); })) };
    }
    option.series = [];
    var first = layered(0);
    option.series = first.series;
    look.merge(option.yAxis[0], first.yAxis[0]);
    return {
      option: option, count: order.length, first: Math.max(order.indexOf(hints.best[0]), 0), layers: hints.layers.map(function (l) { return l.name; }), layered: layered,
      names: option.legend.data,
      step: { ArrowLeft: -1, ArrowRight: 1 },
      place: function (at) { return places[order[at]] || [0, -1]; },
      say: function (at) { return told(order[at]).join('; '); }
    };
  }

  // choose lets the reader pick what a plot shows, above it.
  function choose(place, chart, plot) {
    var label = document.createElement('label'), list = document.createElement('select');
    label.className = 'layers';
    label.append('Show ', list);
    plot.layers.forEach(function (name, k) { list.add(new Option(name, k)); });
    function show() {
      chart.setOption(plot.layered(Number(list.value)), { replaceMerge: ['series', 'visualMap'] });
    }
    list.addEventListener('change', show);
    var old = place.parentNode.querySelector('.layers');
    if (old) { // the plot is drawn anew, and shows what was chosen
      list.value = old.querySelector('select').value;
      show();
      old.remove();
    }
    place.before(label);
  }

  // steer lets the keyboard move from value to value, and says where it is.
  function steer(place, chart, plot) {
    var at = -1;
    function look(start, end) {
      [0, 1].forEach(function (i) { chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: i, start: start[i], end: end[i] }); });
    }
    place.onkeydown = function (e) {
      var step = plot.step[e.key];
      if (step) {
        at = at < 0 ? plot.first : at + step < 0 || at + step >= plot.count ? at : at + step;
        var to = plot.place(at);
        chart.dispatchAction({ type: 'showTip', seriesIndex: to[0], dataIndex: to[1] });
        document.getElementById('cursor').textContent = plot.say(at);
      } else if (plot.zooms && (e.key === '+' || e.key === '-')) {
        var zoom = chart.getOption().dataZoom, to2 = plot.place(at < 0 ? plot.first : at);
        var value = chart.getOption().series[to2[0]].data[to2[1]].value;
        var ranges = zoom.map(function (z, i) {
          var reach = (z.endValue - z.startValue) / (z.end - z.start), lowest = z.startValue - z.start * reach;
          var middle = (value[i] - lowest) / reach, half = (z.end - z.start) * (e.key === '+' ? 0.25 : 1);
          return [Math.max(middle - half, 0), Math.min(middle + half, 100)];
        });
        look(ranges.map(function (r) { return r[0]; }), ranges.map(function (r) { return r[1]; }));
      } else if (e.key === 'Escape') {
        chart.dispatchAction({ type: 'hideTip' });
        if (plot.zooms) { look([0, 0], [100, 100]); }
      } else if (e.key >= '1' && e.key <= '9' && plot.names[e.key - 1] !== undefined) {
        chart.dispatchAction({ type: 'legendToggleSelect', name: plot.names[e.key - 1] });
      } else { return; }
      e.preventDefault();
    };
  }

  var kinds = { curve: curve, trade: trade, field: field, samples: samples };
  return {
    // plot draws what the page holds into a chart, which is at a place of it.
    plot: function (place, chart, option, look) {
      var hints = option.cascadesim;
      delete option.cascadesim;
      var plot = kinds[hints.kind](option, hints, look);
      chart.setOption(plot.option);
      if (plot.group) { chart.group = plot.group; }
      if (plot.layers) { choose(place, chart, plot); }
      steer(place, chart, plot);
    }
  };
})();
